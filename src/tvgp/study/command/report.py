"""`tvgp report`: where the report of a study is."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from tvgp.study.command import archive, checkout, run
from tvgp.study.execution import provenance


def main(given: argparse.Namespace) -> int:
    """Print the path of the report, written first if it is missing or damaged; exit code.

    ValueError for a study without results, and for a file that is not an archive.
    """
    first = given.study[0]
    if first.endswith(".zip"):
        if not Path(first).is_file():
            raise ValueError(f"{first}: no such file; tvgp archive writes to results/ by default")
        report = archive.opened(Path(first))
    else:
        study = checkout.study(*given.study)
        report = study.report
        record = study.results / "records" / "report.json"
        if record.is_file() and str(report) in provenance.faults([str(record)]):
            report.unlink(missing_ok=True)
        if not report.is_file():
            if not any((study.results / subfolder).is_dir() for subfolder in ("collected", "analyses")):
                raise ValueError(f"{study.results}: no results yet; run: tvgp run {' '.join(given.study)}")
            target = f"{study.config['results']}/report.html"
            if code := run.snakemake(study, [target], None, verbose=False):
                return code
    print(report)
    if given.open and not webbrowser.open(report.resolve().as_uri()):
        print("No browser found; open the file yourself")
    return 0
