"""Peak memory of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Largest resident set of this process so far, in MB (10^6 bytes).

    Linux's VmHWM; ru_maxrss includes the size of the parent process at the fork.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
