"""`tvgp compare`: two methods of the league, run by run."""

from __future__ import annotations

import argparse
from pathlib import Path

from tvgp.study.command import checkout, league
from tvgp.study.results import league_runs
from tvgp.study.results.league_runs import LeagueCosts


def main(given: argparse.Namespace) -> int:
    """Compare two methods among these tables and the published runs."""
    paths = [name for name in given.names if name.endswith(".csv")]
    methods = [name for name in given.names if name not in paths]
    if len(methods) != 2:
        raise ValueError(f"{len(methods)} methods to compare, expected two, after any tables (.csv)")
    if methods[0] == methods[1]:
        raise ValueError(f"{methods[0]} and {methods[1]} are one method, expected two")
    published = league.published(checkout.study(league.STUDY))
    runs = league_runs.merged([published, *map(league_runs.read, map(Path, paths))])
    first, second = methods
    for name in methods:
        played = set(runs[runs.method == name].environment)
        if played and (missing := sorted({*runs.environment} - played)):
            raise ValueError(f"{name} was not played in {', '.join(missing)}; play it in all: tvgp league")
    differences = league_runs.differences(runs, first, second, given.price)
    print(f"{first} less {second}: cost in units of the regret of uniform play, [95 % interval], runs")
    for name, found in differences.items():
        word = found.choose("less", "more", "no clear difference")
        print(f"{name:24} {found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}] {found.runs:3} {word}")
    both = LeagueCosts.of(runs[runs.method.isin(methods)], given.price)
    wins = both.wins(first, second)
    print(
        f"{first} costs less in {wins.mean:.0%} [{wins.low:.0%}, {wins.high:.0%}] of {wins.runs}"
        " environments, each family weighing the same"
    )
    for name in methods:
        sources = sorted(set(runs[runs.method == name].source))
        if sources != [league_runs.STUDY]:
            print(f"{name} is not verified: its runs are from {', '.join(sources)}, not from the study")
    return 0
