"""`tvgp publish`: the results of finished studies in docs/results, and the pages that quote them."""

from __future__ import annotations

import argparse
from pathlib import Path

from tvgp.study.command import archive, checkout
from tvgp.study.publish import pages, results


def main(given: argparse.Namespace) -> int:
    """Write the archives, docs/results and the pages; print what was written, with sizes; 0.

    ValueError for an unfinished study, results of other code or stand-in data; and, when tables and figures
    are in place, for a sentence that is not true of them: change its template and call `tvgp publish` alone.
    """
    root = checkout.source(Path.cwd())
    if not (root / pages.TEMPLATES).is_dir():
        raise ValueError(f"{Path.cwd()}: no {pages.TEMPLATES}/ here; change to a checkout of tvgp")
    if given.studies:
        studies = [checkout.study(name) for name in given.studies]
        finished = [
            results.Finished(
                study.config["scale"], study.config, study.results, root / study.config["resources"]
            )
            for study in studies
        ]
        for each in finished:
            results.refuse(each)
        packed = {study.config["scale"]: study.results.with_suffix(".zip") for study in studies}
        for study in studies:
            archive.write(study, packed[study.config["scale"]])
        record = results.write(root / pages.RESULTS, finished, packed)
        for name, path in packed.items():
            made = record["studies"][name]["archive"]
            print(f"{path}: {made['bytes'] / 1e6:.1f} MB, sha256 {made['sha256']}")
    for path in [*sorted((root / pages.RESULTS).rglob("*.*")), *pages.write(root)]:
        if path.is_file():
            print(f"{path.stat().st_size:10,}  {Path(path).relative_to(root)}")
    return 0
