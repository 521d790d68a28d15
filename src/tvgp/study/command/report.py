"""`tvgp report`: where the report of a study is."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Mapping
from pathlib import Path

from tvgp.study.command import archive, checkout, run
from tvgp.study.command.checkout import Study
from tvgp.study.config import jobs
from tvgp.study.execution import files, provenance


def main(given: argparse.Namespace) -> int:
    """Print the path of the report, written first if it is missing or damaged; exit code. A page of other
    data or another configuration is shown as it is, and said to be old.

    ValueError for a study without results, and for a file that is not an archive.
    """
    first = given.study[0]
    if first.endswith(".zip"):
        report = archive.opened(Path(first))
    else:
        study = checkout.study(*given.study)
        report = study.report
        record = study.results / "records" / "report.json"
        listed = [str(record), *map(str, (study.root / study.config["resources"]).glob("*/raw.json"))]
        found = provenance.faults(listed) if record.is_file() else {}
        if str(report) in found:
            report.unlink(missing_ok=True)
        if not report.is_file():
            if not any((study.results / subfolder).is_dir() for subfolder in ("collected", "analyses")):
                raise ValueError(f"{study.results}: no results yet; run: tvgp run {' '.join(given.study)}")
            target = f"{study.config['results']}/report.html"
            if code := run.snakemake(study, [target], None, verbose=False):
                return code
        elif record.is_file() and (changed := _changed(study, record, found)):
            again = f"to play anew run: tvgp run {' '.join(given.study)}"
            print(f"Old page: the {changed} have changed since it was written; {again}", file=sys.stderr)
    print(report)
    if given.open and not webbrowser.open(report.resolve().as_uri()):
        print("No browser found; open the file yourself")
    return 0


def _changed(study: Study, record: Path, found: Mapping[str, str]) -> str:
    """What is no longer as it was when the page was written, "" for nothing. record: of the page; found: the
    faults of record and manifests of raw files."""
    if found:
        return "data" if any(Path(path).name == "raw.json" for path in found) else "results"
    written = files.read_object(record)["job"].get("config")
    return "" if written == jobs.of_results(study.config) else "data or settings"
