"""`tvgp publish`: finished parts of the study in docs/results, and the pages that quote them."""

from __future__ import annotations

import argparse
from pathlib import Path

from tvgp.study.command import archive, checkout
from tvgp.study.publish import pages, parts, results, verdicts


def main(given: argparse.Namespace) -> int:
    """Write the archives, the parts' folders and the pages; print what was written, with sizes; 0. Verdicts
    of parts published before are given anew as far as the rules of today need only their tables.

    ValueError for a study that is not a part, an unfinished one, results of other code or stand-in data; and,
    when tables and figures are in place, for a sentence that is not true of them: change its template and
    call `tvgp publish` alone.
    """
    root = checkout.source(Path.cwd())
    if not (root / pages.TEMPLATES).is_dir():
        raise ValueError(f"{Path.cwd()}: no {pages.TEMPLATES}/ here; change to a checkout of tvgp")
    parts.require_same_problems(root / "config")
    studies = {name: checkout.study(f"published/{name}") for name in map(_part, given.parts)}
    finished = {
        name: results.Finished(study.config, study.results, root / study.config["resources"])
        for name, study in studies.items()
    }
    for each in finished.values():
        results.refuse(each)
    for name, study in studies.items():
        packed = study.results.with_suffix(".zip")
        archive.write(study, packed)
        made = results.write(root / pages.RESULTS / name, finished[name], packed)["archive"]
        print(f"{packed}: {made['bytes'] / 1e6:.1f} MB, sha256 {made['sha256']}")
    written = [path for name in studies for path in sorted((root / pages.RESULTS / name).rglob("*.*"))]
    renewed = verdicts.renew(root / pages.RESULTS)
    for path in [*dict.fromkeys([*written, *renewed]), *pages.write(root)]:
        print(f"{path.stat().st_size:10,}  {Path(path).relative_to(root)}")
    return 0


def _part(name: str) -> str:
    """A part by its name, with or without the folder. ValueError for another."""
    part = name.removeprefix("published/")
    if part not in parts.PARTS:
        raise ValueError(f"{name!r} is not a part of the publication; known: {', '.join(parts.PARTS)}")
    return part
