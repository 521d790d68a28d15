"""Measurements in a separate process: `python -m benchmarks.worker <what> <arguments>`.

Prints one JSON object on its last line; `turns` prints one per turn.
"""

from __future__ import annotations

import json
import sys

import numpy as np

from benchmarks import comparisons, digest, memory, scaling
from benchmarks.harness import take_turn


def series(name: str, label: str, quick: str) -> dict:
    """One line of a scaling plot and the peak memory of the process that measured it."""
    rows = scaling.load(name).measure(label, quick == "quick")
    return {"rows": rows, "peak_mb": memory.peak_mb()}


def digests() -> dict:
    """Fingerprints of the arms of all policies and engines, and the BLAS kernel in use."""
    return digest.report()


def turns(comparison: str, name: str, quick: str) -> None:
    """Turns of one contender: for each number of calls read, a line of JSON with the seconds, the
    answer, peak memory after imports and inputs and after the turn, MB, and the floor of its choices."""
    chosen = comparisons.make(comparison, quick == "quick").contender(name)
    before, floor = memory.peak_mb(), None
    for line in sys.stdin:
        turn = take_turn(chosen, int(line))
        report = {"seconds": turn.seconds, "answer": turn.answer}
        report["once"] = {"before_mb": before, "peak_mb": memory.peak_mb()}
        if chosen.floor:
            floor = floor or chosen.floor(turn.answer)
            report["once"]["floor_seconds"] = floor
        print(json.dumps(report, default=np.ndarray.tolist), flush=True)


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "turns":
        turns(*arguments)
    else:
        print(json.dumps({"series": series, "digests": digests}[what](*arguments)))
