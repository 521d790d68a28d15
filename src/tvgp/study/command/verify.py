"""`tvgp verify`: does every file of a study, or of an archive, still match its record?"""

from __future__ import annotations

import argparse
from pathlib import Path

from tvgp.study.command import archive, checkout


def main(given: argparse.Namespace) -> int:
    """Print a line for each file that differs, then what to do; 1 if there is one, else 0.

    ValueError for a study without results, and for a file that is not an archive.
    """
    first, named = given.study[0], " ".join(given.study)
    if first.endswith(".zip"):
        found, remedy = archive.faults(Path(first)), "copy or download it again"
    else:
        study = checkout.study(*given.study)
        if not study.results.is_dir():
            raise ValueError(f"{study.results}: no results yet; run: tvgp run {named}")
        found, remedy = study.faults(), f"to make them again run: tvgp run {named}"
    for fault in found:
        print(fault)
    print(f"Not as recorded: {len(found)}; {remedy}" if found else "Every file is as recorded")
    return int(bool(found))
