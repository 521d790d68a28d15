"""`tvgp report`: where the report of a study is."""

from __future__ import annotations

import argparse
import webbrowser

from tvgp.study.command import checkout, run


def main(given: argparse.Namespace) -> int:
    """Print the path of the report, written first if only results exist; exit code.

    ValueError for a study without results.
    """
    study = checkout.study(given.study)
    if not study.report.is_file():
        if not any((study.results / room).is_dir() for room in ("collected", "analyses")):
            raise ValueError(f"{study.results}: no results yet; run: tvgp run {given.study}")
        target = f"{study.config['results']}/report.html"
        if code := run.snakemake(study, [target], None, verbose=False):
            return code
    print(study.report)
    if given.open and not webbrowser.open(study.report.as_uri()):
        print("No browser found; open the file yourself")
    return 0
