"""`tvgp merge`: tables of runs of the league, such as those of two machines."""

from __future__ import annotations

import argparse

from tvgp.study.results import contest


def main(given: argparse.Namespace) -> int:
    """Write the runs of all tables into one."""
    runs = contest.merged([contest.read(path) for path in given.tables])
    contest.write(given.output, runs)
    print(f"{given.output}: {len(runs)} runs of {runs.method.nunique()} methods")
    return 0
