"""Pieces: the files of a job that makes several, each named by what it is made from.

Snakemake deletes the outputs of a job before it starts and after it fails. The output of such a job is
therefore a manifest alone (`tvgp.study.execution.provenance.record_pieces`), which lists its pieces with
their sha256. A piece has the digest of its recipe and of its inputs' content in its name, and a job makes
those that are missing or damaged: an interrupted job goes on, and an edit of one variant remakes the pieces
of that variant only.
"""

from __future__ import annotations

import glob
import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tvgp.study.execution import files, netcdf

LATENCY = 60.0  # seconds after which a shared file system shows what another machine wrote


def named(stem: str, made: Mapping[str, Any], inputs: Iterable[str | Path] = ()) -> str:
    """`stem` with the digest of a recipe and of the present content of these files, without suffix."""
    text = " ".join([made["recipe"], *map(files.digest, inputs)])
    return f"{stem}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def finished(*paths: Path) -> bool:
    """Whether all these NetCDF or JSON files exist, undamaged."""
    try:
        for path in paths:
            (netcdf.check if path.suffix == ".nc" else files.read_object)(path)
    except ValueError:
        return False
    return True


def listed(*manifests: str | Path) -> list[Path]:
    """The pieces in these manifests, once the file system shows them or `LATENCY` is over.

    ValueError, one line, for a missing or damaged manifest.
    """
    found = [
        Path(os.path.normpath(Path(manifest).parent / name))
        for manifest in manifests
        for name in files.read_object(manifest)["products"]
    ]
    end = time.monotonic() + LATENCY
    while time.monotonic() < end and not all(path.exists() for path in found):
        time.sleep(0.5)
    return found


def keep_only(paths: Iterable[Path]) -> None:
    """Remove the pieces of other recipes and inputs, finished or not, beside these."""
    for path in paths:
        stem = path.name.removesuffix(path.suffix).rpartition(".")[0]
        for pattern in ("", f".part-{'?' * 8}-"):
            for other in path.parent.glob(f"{pattern}{glob.escape(stem)}.*{path.suffix[1:]}"):
                if other != path:
                    other.unlink(missing_ok=True)
