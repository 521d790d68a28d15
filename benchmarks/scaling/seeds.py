"""Time against the number of seeds, for a block of runs as in one job of the study."""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from benchmarks.comparisons.figure import FIT, job
from benchmarks.problem import forget
from benchmarks.scaling import lines
from tvgp.study.figures.base import style
from tvgp.study.run import build
from tvgp.study.run.world import World

COUNTS = (1, 3, 10, 30)
_METHODS = {"GP-UCB": "gp_ucb", "TV-GP-UCB": "tv_gp_ucb", "W-SparQ-GP-UCB": "w_sparq_gp_ucb"}
LABELS = tuple(_METHODS)


def measure(label: str, quick: bool) -> list[dict]:
    """Median over 5 blocks, seconds per block of runs (T = 500, 501 arms), each from cold."""
    definition, rows = job(_METHODS[label]), []
    world = World.open(definition.experiment)
    for count in COUNTS[:2] if quick else COUNTS:
        spent = []
        for _ in range(1 if quick else 5):
            forget()
            started = time.process_time()
            build.run_block(definition, world, range(1, count + 1), FIT)
            spent.append(time.process_time() - started)
        rows.append({"line": label, "size": count, "seconds": float(np.median(spent))})
    return rows


def draw(rows: list[dict]) -> Figure:
    """Milliseconds against the number of seeds."""
    title = "Time of a block of runs, T = 500, 501 arms"
    looks = {label: style.look(method) for label, method in _METHODS.items()}
    return lines.draw(rows, looks, "seeds", "milliseconds", title)
