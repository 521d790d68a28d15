"""`tvgp publish`: the results of finished studies in docs/results, and the pages that quote them."""

from __future__ import annotations

import argparse
from pathlib import Path

from tvgp.study.command import archive, checkout
from tvgp.study.publish import pages, results


def main(given: argparse.Namespace) -> int:
    """Write the archive of the first study, docs/results and the pages; print what was written; 0.

    ValueError for an unfinished study, for stand-in data, and for a sentence that is no longer true.
    """
    root = checkout.root()
    if given.studies:
        studies = [checkout.study(name) for name in given.studies]
        finished = [
            results.Finished(
                study.config["scale"], study.config, study.results, root / study.config["resources"]
            )
            for study in studies
        ]
        for study in finished:
            results.refuse(study)
        packed = studies[0].results.with_suffix(".zip")
        archive.write(studies[0], packed)
        record = results.write(root / pages.RESULTS, finished, packed)
        print(f"{packed}: {packed.stat().st_size / 1e6:.1f} MB, sha256 {record['archive']['sha256']}")
    for path in [*sorted((root / pages.RESULTS).rglob("*.*")), *pages.write(root)]:
        if path.is_file():
            print(f"{path.stat().st_size:10,}  {Path(path).relative_to(root)}")
    return 0
