"""`tvgp merge`: tables of runs of the league, such as those of two machines."""

from __future__ import annotations

import argparse

from tvgp.study.results import league_runs


def main(given: argparse.Namespace) -> int:
    """Write the runs of all tables into one."""
    runs = league_runs.merged([league_runs.read(path) for path in given.tables])
    league_runs.write(given.output, runs)
    print(f"{given.output}: {len(runs)} runs of {runs.method.nunique()} methods")
    return 0
