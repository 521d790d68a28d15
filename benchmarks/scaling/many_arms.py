"""27,000 arms (a 30^3 grid, Matern 3/2), T = 10,000, constant noise: a whole run and its memory.

Takes some minutes: the lazy engine reads O(t G) numbers once per block.
"""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from benchmarks.scaling import lines
from benchmarks.scaling.arms import grid
from tvgp import streams
from tvgp.study.figures.base import style

HORIZON, SIDE = 10_000, 30
CHECKPOINTS = (128, 1_000, 2_000, 5_000, 10_000)
_POLICIES = {"GP-UCB": "gp_ucb", "IGP-UCB": "igp_ucb"}
_NOTE = (
    "First point: round 2 writes to all arms' rows for the first time,\n"
    "and the system then provides their memory."
)
LABELS = tuple(_POLICIES)


def measure(label: str, quick: bool) -> list[dict]:
    """Mean seconds per step over the last 128 steps before each checkpoint, one block of the lazy
    engine."""
    problem = grid(SIDE, HORIZON)
    policy = problem.policy(_POLICIES[label])
    rng = streams.generator("benchmarks", "many_arms")
    seconds = np.empty(HORIZON)
    for t, row in enumerate(problem.rewards, start=1):
        started = time.process_time()
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(row[arm]))
        seconds[t - 1] = time.process_time() - started
        if quick and t == CHECKPOINTS[1]:
            break
    reached = [t for t in CHECKPOINTS if not quick or t <= CHECKPOINTS[1]]
    return [
        {
            "line": label,
            "size": t,
            "seconds": float(seconds[max(t - 128, 0) : t].mean()),
            "run": float(seconds[: reached[-1]].sum()),
            "engine": policy.engine,
        }
        for t in reached
    ]


def draw(rows: list[dict]) -> Figure:
    """Milliseconds per step against t."""
    title = "Time per step, 27,000 arms, Matern 3/2"
    return lines.draw(
        rows,
        {label: style.look(algorithm) for label, algorithm in _POLICIES.items()},
        "round $t$",
        "milliseconds per step",
        title,
        _NOTE,
    )
