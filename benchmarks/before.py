"""An earlier commit of tvgp as a contender: does anything get slower?"""

from __future__ import annotations

import contextlib
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory import ROOT


@contextlib.contextmanager
def sources(revision: str) -> Iterator[Path]:
    """The sources of tvgp at a git revision, extracted into a temporary folder."""
    command = ["git", "-C", str(ROOT), "archive", revision, "src"]
    archive = subprocess.run(command, capture_output=True, check=False)
    if archive.returncode:
        raise ValueError(f"git knows no revision {revision!r} with a folder src")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder) / "src"
