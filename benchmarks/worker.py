"""What is measured in a process of its own: `python -m benchmarks.worker <what> <arguments>`.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import json
import sys

from benchmarks import comparisons, digest, memory, scaling
from benchmarks.harness import Comparison, seconds


def contender(comparison: str, name: str) -> dict:
    """Peak memory of one contender: after imports and inputs, and after one run, MB."""
    chosen = comparisons.make(comparison).contender(name)
    before = memory.peak_mb()
    chosen.run()
    return {"before_mb": before, "peak_mb": memory.peak_mb()}


def series(name: str, label: str, quick: str) -> dict:
    """One line of a scaling plot and the peak memory of the process that measured it."""
    rows = scaling.load(name).measure(label, quick == "quick")
    return {"rows": rows, "peak_mb": memory.peak_mb()}


def digests() -> dict:
    """Fingerprints of the arms of all policies and engines, and the BLAS kernel in use."""
    return digest.report()


def serve() -> dict:
    """Time contenders on request (one JSON line each) until there are no more."""
    made: dict[str, Comparison] = {}
    for line in sys.stdin:
        comparison, name, calls = json.loads(line)
        try:
            if comparison not in made:
                made[comparison] = comparisons.make(comparison)
            chosen = made[comparison].contender(name)
            answer = seconds(chosen, calls)
        except (ValueError, TypeError, AttributeError):
            answer = None  # this commit does not have what the contender needs
        print(json.dumps(answer), flush=True)
    return {}


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    jobs = {"contender": contender, "series": series, "digests": digests, "serve": serve}
    print(json.dumps(jobs[what](*arguments)))
