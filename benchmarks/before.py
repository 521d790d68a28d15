"""An earlier commit of tvgp as a contender: does anything get slower?

Its sources are taken out of git into a temporary folder and run by a process of their own, which
takes its turn in every round like any other contender and times itself.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from benchmarks.memory import ROOT


class Earlier:
    """Context manager: the worker process of tvgp at a git revision."""

    def __init__(self, revision: str) -> None:
        self.revision = revision

    def __enter__(self) -> Earlier:
        command = ["git", "-C", str(ROOT), "archive", self.revision, "src"]
        archive = subprocess.run(command, capture_output=True, check=False)
        if archive.returncode:
            raise ValueError(f"git knows no revision {self.revision!r} with a folder src")
        self._folder = tempfile.TemporaryDirectory()
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as sources:
            sources.extractall(self._folder.name, filter="data")
        path = str(Path(self._folder.name) / "src")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", "serve"],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def seconds(self, comparison: str, contender: str, calls: int) -> float | None:
        """Seconds per call of a contender, None where that commit cannot do it."""
        self._process.stdin.write(json.dumps([comparison, contender, calls]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.revision} stopped")
        return json.loads(line)
