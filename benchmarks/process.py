"""Measurements in processes of their own: one job, or the turns of one contender."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.harness import Turn
from benchmarks.memory import ROOT

_COMMAND = (sys.executable, "-m", "benchmarks.worker")


def answer(*arguments: str, environment: dict[str, str] | None = None) -> dict:
    """Answer (one JSON object) of `python -m benchmarks.worker arguments` in a fresh process.

    RuntimeError with the last line of its error output when it fails.
    """
    done = subprocess.run([*_COMMAND, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"{' '.join(arguments)}: {complaint[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


class Player:
    """Context manager: a process in which one contender takes its turns, when called.

    sources: folder from which to import tvgp instead of the installed one. `once`, after the first
    turn: peak memory in MB before and after it, and the floor in seconds. RuntimeError when the process
    stops.
    """

    def __init__(self, comparison: str, contender: str, quick: bool, sources: Path | None = None):
        self._arguments = ["turns", comparison, contender, "quick" if quick else "full"]
        self._sources = sources
        self.once: dict[str, float | None] = {}

    def __enter__(self) -> Player:
        path = {"PYTHONPATH": str(self._sources)} if self._sources else {}
        self._process = subprocess.Popen(
            [*_COMMAND, *self._arguments],
            cwd=ROOT,
            env=os.environ | path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # an earlier commit may lack what the contender needs; its traceback is of no interest
            stderr=subprocess.DEVNULL if self._sources else None,
            text=True,
        )
        return self

    def __exit__(self, *_) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __call__(self, calls: int) -> Turn:
        """Several calls in a row."""
        line = ""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{calls}\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of {' '.join(self._arguments[1:])} stopped")
        report = json.loads(line)
        self.once = self.once or report["once"]
        return Turn(report["seconds"], report["answer"])
