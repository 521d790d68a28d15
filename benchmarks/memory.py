"""Peak memory of one contender, measured in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Largest resident set of this process so far, in MB (10^6 bytes).

    Linux's VmHWM: ru_maxrss would start from the size of the process that forked this one.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def in_a_process(*arguments: str, environment: dict[str, str] | None = None) -> dict:
    """Answer (one JSON object) of `python -m benchmarks.worker arguments` in a fresh process.

    RuntimeError with the last line of its complaint when it fails.
    """
    command = [sys.executable, "-m", "benchmarks.worker", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"{' '.join(arguments)}: {complaint[-1]}")
    return json.loads(done.stdout.splitlines()[-1])
