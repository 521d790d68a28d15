"""Finished blocks of runs, tuned parameters and parts of analyses, kept where Snakemake does not delete them.

Snakemake deletes every output of a job before the job starts and after it fails. A job that plays
several variants takes from here the blocks that it need not play again: those that an interrupted
attempt finished, and those of the other variants after an edit of one. A kept block serves the same
recipe and the same inputs only; the folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from tvgp.study.execution import files, provenance


def key(recipe: str, inputs: Iterable[str | Path] = ()) -> str:
    """Name of a block made by a recipe from the present content of these files."""
    text = " ".join([recipe, *map(files.digest, inputs)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def take(folder: str | Path, key: str, outputs: Sequence[str | Path]) -> bool:
    """Copy the files of a kept block to `outputs`; False where it is not kept or damaged.

    folder: of one block, whatever its recipe; outputs: NetCDF or JSON files.
    """
    kept = [Path(folder, key).with_suffix(Path(output).suffix) for output in outputs]
    if not all(path.is_file() for path in kept):
        return False
    try:
        for path in kept:
            provenance.stored(path)
    except ValueError:
        return False
    _copy(kept, outputs)
    return True


def keep(folder: str | Path, key: str, outputs: Sequence[str | Path]) -> None:
    """Keep copies of these files, instead of those that other recipes left in the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    kept = [Path(folder, key).with_suffix(Path(output).suffix) for output in outputs]
    _copy(outputs, kept)


def _copy(sources: Iterable[str | Path], targets: Iterable[str | Path]) -> None:
    for source, target in zip(sources, targets, strict=True):
        with files.replacing(target) as temporary:
            shutil.copyfile(source, temporary)
