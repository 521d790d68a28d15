"""Time per step against the number of arms: cubic grids up to 30^3, Matern 3/2, constant noise."""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from benchmarks.problem import Problem, forget, play
from benchmarks.scaling import lines
from tvgp import kernels, streams
from tvgp.study.figures.base import style

SIDES = (5, 8, 11, 15, 20, 30)
NOISE = 0.1
_POLICIES = {"GP-UCB": "gp_ucb", "IGP-UCB": "igp_ucb"}
_HORIZON = 400
LABELS = tuple(_POLICIES)


def grid(side: int, horizon: int) -> Problem:
    """side^3 arms in the unit cube and a smooth static reward."""
    axis = np.linspace(0.0, 1.0, side)
    arms = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    mean = np.sin(5.0 * arms).sum(axis=1)
    rng = streams.generator("benchmarks", "arms", side)
    kernel = kernels.make("matern32", variance=1.0, length_scale=0.3)
    return Problem(arms, kernel, NOISE**2, _Rewards(mean, NOISE * rng.standard_normal(horizon)))


class _Rewards:
    """A (T, G) table made row by row: stored whole, it would be larger than the posterior."""

    def __init__(self, mean: np.ndarray, noise: np.ndarray) -> None:
        self._mean, self._noise = mean, noise

    def __len__(self) -> int:
        return len(self._noise)

    def __iter__(self):
        for noise in self._noise:
            yield self._mean + noise


def measure(label: str, quick: bool) -> list[dict]:
    """Median over 3 whole runs, seconds per step; one run in the quick version."""
    rows = []
    for side in SIDES[:3] if quick else SIDES:
        problem, spent = grid(side, _HORIZON), []
        for _ in range(1 if quick else 3):
            forget()
            started = time.process_time()
            play(problem.policy(_POLICIES[label]), problem.rewards)
            spent.append((time.process_time() - started) / _HORIZON)
        rows.append({"line": label, "size": side**3, "seconds": float(np.median(spent))})
    return rows


def draw(rows: list[dict]) -> Figure:
    """Milliseconds per step against the number of arms."""
    title = "Time per step of a whole run, T = 400, Matern 3/2"
    looks = {label: style.look(algorithm) for label, algorithm in _POLICIES.items()}
    return lines.draw(rows, looks, "arms", "milliseconds per step", title)
