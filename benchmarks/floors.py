"""How fast a run of one policy could be: its arithmetic at the rate of large matrix products, or its
reading and writing at the rate at which a factor is read from cache, whichever takes longer.

Counted per round is the cheapest known form of the posterior update (`tvgp.posterior`), with G arms, r the
rank of the prior and u the distinct arms in use, whether or not tvgp takes that form. Nothing else is:
choosing, sums over old data and Python are the distance to the floor.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.linalg.blas import dgemm, dgemv

from benchmarks.problem import Problem
from tvgp.posterior import Prior
from tvgp.posterior.harmonics import Harmonics

Work = tuple[float, float]  # floating-point operations, bytes


def seconds(algorithm: str, problem: Problem, arms: np.ndarray, parameters: dict) -> float | None:
    """The floor of a run that played these arms, None for an algorithm whose work is not counted."""
    prior = Prior.of(problem.arms, problem.kernel)
    factor = prior.factor(prior.n_arms)
    if algorithm not in _USED or factor is None:
        return None
    rank, harmonics = factor.shape[1], Harmonics.of(prior, prior.n_arms)
    used, step = _USED[algorithm](arms, parameters), _STEPS.get(algorithm, _afresh)
    waves = harmonics.rank if harmonics else None
    return sum(min(_duration(work) for work in step(prior.n_arms, rank, waves, u)) for u in used)


def _all(arms: np.ndarray, parameters: dict) -> list[int]:
    return [len(np.unique(arms[:t])) for t in range(1, len(arms) + 1)]


def _window(arms: np.ndarray, parameters: dict) -> list[int]:
    size = parameters["window"]
    return [len(np.unique(arms[max(t - size, 0) : t])) for t in range(1, len(arms) + 1)]


def _discounted(arms: np.ndarray, parameters: dict) -> list[int]:
    memory = math.ceil(math.log(1e-12) / math.log(parameters["gamma"]))
    return _window(arms, {"window": memory})


_USED: dict[str, Callable[[np.ndarray, dict], list[int]]] = {
    "gp_ucb": _all,
    "tv_gp_ucb": _all,
    "ui_gp_ucb": _all,
    "sw_gp_ucb": _window,
    "w_gp_ucb": _discounted,
}


def _update(G: int, r: int, waves: int | None, u: int) -> list[Work]:
    """One observation in weight space: F h for all arms, P h and a rank-one change of P."""
    return [(2.0 * G * r + 4.0 * r * r, 8.0 * (G * r + 1.5 * r * r))]


def _afresh(G: int, r: int, waves: int | None, u: int) -> list[Work]:
    """All precisions changed: dual, primal, harmonic."""
    forms = [
        (u * u * G + 2.0 * u**3 / 3.0, 16.0 * u * G),
        (r * r * (u + G) + 2.0 * r**3 / 3.0, 16.0 * r * G),
    ]
    if waves:
        forms.append((waves**3 + 30.0 * G * math.log2(G), 8.0 * 3.0 * waves * waves))
    return forms


def _mismatched(G: int, r: int, waves: int | None, u: int) -> list[Work]:
    """The same, and with double weights the error under another noise by as much work again."""
    return [(2.0 * operations, 2.0 * size) for operations, size in _afresh(G, r, waves, u)]


def _windowed(G: int, r: int, waves: int | None, u: int) -> list[Work]:
    """Two precisions changed: afresh, or two updates and the mean in one product with F, after one."""
    updated = (8.0 * G * r + 10.0 * r * r, 8.0 * (2.0 * G * r + 4.0 * r * r))
    return [*_afresh(G, r, waves, u), updated]


_STEPS = {"gp_ucb": _update, "tv_gp_ucb": _update, "sw_gp_ucb": _windowed, "w_gp_ucb": _mismatched}


def _duration(work: Work) -> float:
    operations, size = work
    flops, bandwidth = rates()
    return max(operations / flops, size / bandwidth)


@cache
def rates() -> tuple[float, float]:
    """Floating-point operations per second of dgemm, 512 rows; bytes per second of dgemv, 500 x 94."""
    square = np.ones((512, 512), order="F")
    table, vector = np.ones((500, 94), order="F"), np.ones(94)
    product = _least(lambda: dgemm(1.0, square, square), 5)
    return 2.0 * 512**3 / product, table.nbytes / _least(lambda: dgemv(1.0, table, vector), 200)


def _least(job: Callable[[], object], calls: int) -> float:
    """Least seconds of a call over five turns."""
    spent = []
    for _ in range(5):
        started = time.process_time()
        for _ in range(calls):
            job()
        spent.append((time.process_time() - started) / calls)
    return min(spent)
