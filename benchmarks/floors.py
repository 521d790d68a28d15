"""How fast a run of one policy could be on this processor: the least time of each part of a round.

A part takes its operations at the rate of large matrix products, or its reading and writing at the rate at
which a factor is read from cache, whichever is longer. Parts, with G arms, r the rank of the prior, u the
distinct arms in use, N those played and M those asked about:

- the form of the posterior update that tvgp takes (`tvgp.posterior`);
- scores and their maximum over all arms, with square roots at NumPy's rate for long arrays;
- a k-DPP: where the arms played are others than at the last draw, an eigenproblem at the rate of LAPACK's
  own (dsytrd, dstevd) for 96 rows, or the changes by rank one of the last (five divisions per entry, at the
  rate of square roots), and the M eigenvectors; always the chain of M items, and 2 M uniform
  numbers.

Not counted: sums over old data, the environment, noise (drawn once for all methods of an experiment),
copies, Python. They are the distance to the floor.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dgemm, dgemv
from scipy.linalg.lapack import dstevd, dsytrd

from benchmarks.problem import Problem
from tvgp.posterior import Merged, Prior
from tvgp.posterior.merged.forms import Dual, Primal
from tvgp.posterior.merged.harmonics import Harmonics

Work = tuple[float, float]  # floating-point operations, bytes
Queries = Sequence[Sequence[int]]


class Rates(NamedTuple):
    """Per second: operations of dgemm with 512 rows, bytes of dgemv with 500 x 94, square roots, normal and
    uniform numbers; eigen: n^3 of an eigenproblem with 96 rows."""

    operations: float
    bytes: float
    roots: float
    normals: float
    uniforms: float
    eigen: float


def seconds(
    algorithm: str, problem: Problem, arms: np.ndarray, parameters: dict, queries: Queries = ()
) -> float | None:
    """The floor of a run that played these arms, None for an algorithm whose work is not counted.

    queries: arms asked about after each round, for the algorithms that ask.
    """
    prior = Prior.of(problem.arms, problem.kernel)
    factor = prior.factor(prior.n_arms)
    if algorithm not in _USED or factor is None:
        return None
    G, r, harmonics = prior.n_arms, factor.shape[1], Harmonics.of(prior, prior.n_arms)
    # as many waves as matter to one fresh observation
    waves = harmonics.significant(1.0 / problem.noise_variance).rank if harmonics else 0
    shape, step = _Shape(G, r, waves, Merged(prior)), _STEPS.get(algorithm, _afresh)
    updates = sum(_duration(step(shape, u)) for u in _USED[algorithm](arms, parameters, queries))
    scores = len(arms) * (_duration((4.0 * G, 16.0 * G)) + G / rates().roots)
    return updates + scores + sum(_drawn(arms, queries, r))


def noise(n: int) -> float:
    """Seconds for n normal numbers."""
    return n / rates().normals


def _all(arms: np.ndarray, parameters: dict, queries: Queries) -> list[int]:
    return [len(np.unique(arms[:t])) for t in range(1, len(arms) + 1)]


def _window(arms: np.ndarray, parameters: dict, queries: Queries) -> list[int]:
    size = parameters["window"]
    return [len(np.unique(arms[max(t - size, 0) : t])) for t in range(1, len(arms) + 1)]


def _discounted(arms: np.ndarray, parameters: dict, queries: Queries) -> list[int]:
    memory = math.ceil(math.log(1e-12) / math.log(parameters["gamma"]))
    return _window(arms, {"window": memory}, queries)


def _block(arms: np.ndarray, parameters: dict, queries: Queries) -> list[int]:
    """Observations since the last restart, before each new one."""
    return [t % parameters["block_length"] for t in range(len(arms))]


def _asked(arms: np.ndarray, parameters: dict, queries: Queries) -> list[int]:
    return [len(asked) for asked in queries]


def _since_asked(arms: np.ndarray, parameters: dict, queries: Queries) -> list[int]:
    used, counts = set[int](), []
    for arm, asked in zip(arms.tolist(), queries, strict=True):
        used = set(asked) if len(asked) else used | {arm}
        counts.append(len(used))
    return counts


_USED: dict[str, Callable[[np.ndarray, dict, Queries], list[int]]] = {
    "gp_ucb": _all,
    "tv_gp_ucb": _all,
    "ui_gp_ucb": _all,
    "r_gp_ucb": _block,
    "sw_gp_ucb": _window,
    "w_gp_ucb": _discounted,
    "sparq_gp_ucb": _asked,
    "w_sparq_gp_ucb": _since_asked,
}


class _Shape(NamedTuple):
    arms: int
    rank: int
    waves: int  # rank of the harmonic form
    engine: Merged  # for its choice of a form


def _update(s: _Shape, u: int) -> Work:
    """One observation in weight space: F h for all arms, P h and a rank-one change of P."""
    G, r = s.arms, s.rank
    return 2.0 * G * r + 4.0 * r * r, 8.0 * (G * r + 1.5 * r * r + 4.0 * G)


def _appended(s: _Shape, u: int) -> Work:
    """The same by one more row beside the u of the observations before."""
    return 2.0 * s.arms * u + 4.0 * s.arms, 8.0 * (s.arms * u + 6.0 * s.arms)


def _afresh(s: _Shape, u: int) -> Work:
    """All precisions changed."""
    G, r = s.arms, s.rank
    form = s.engine.cheapest(u)
    if form is Dual:
        return u * u * G + 2.0 * u**3 / 3.0, 16.0 * u * G
    if form is Primal:
        return r * r * (u + G) + 2.0 * r**3 / 3.0, 16.0 * r * G
    return s.waves**3 + 30.0 * G * math.log2(G), 8.0 * 3.0 * s.waves**2


def _mismatched(s: _Shape, u: int) -> Work:
    """The same, and with double weights the error under another noise by as much work again."""
    operations, size = _afresh(s, u)
    return 2.0 * operations, 2.0 * size


def _windowed(s: _Shape, u: int) -> Work:
    """Two precisions changed: two updates and the mean in one product with F, after one; or afresh."""
    G, r = s.arms, s.rank
    updated = 8.0 * G * r + 10.0 * r * r, 8.0 * (2.0 * G * r + 4.0 * r * r)
    return min(updated, _afresh(s, u), key=_duration)


_STEPS = {
    "gp_ucb": _update,
    "tv_gp_ucb": _update,
    "r_gp_ucb": _appended,
    "sw_gp_ucb": _windowed,
    "w_gp_ucb": _mismatched,
}


def _drawn(arms: np.ndarray, queries: Queries, r: int) -> Iterator[float]:
    """Seconds of each k-DPP sample among the arms played so far."""
    played, solved = set[int](), 0
    for arm, asked in zip(arms.tolist(), queries, strict=bool(queries)):
        played.add(arm)
        N, M = len(played), len(asked)
        if not 0 < M < N:  # all of them
            continue
        if N != solved:
            order, added = min(N, r), N - solved
            change = _duration((2.0 * order**3, 0.0)) + 5.0 * order**2 / rates().roots
            eigenproblem = order**3 / rates().eigen
            if solved > r:
                eigenproblem = min(eigenproblem, added * change)
            solved = N
            products = 2.0 * order * order * M + (2.0 * M * r * N if r < N else 0.0)
            yield eigenproblem + _duration((products, 0.0))
        items = min(M, N - M)  # or those left out
        entries = N * items * (M + items / 2.0)
        yield _duration((2.0 * entries, 8.0 * entries)) + 2.0 * M / rates().uniforms


def _duration(work: Work) -> float:
    operations, size = work
    return max(operations / rates().operations, size / rates().bytes)


@cache
def rates() -> Rates:
    """Measured in this process."""
    square, rng, long = np.ones((512, 512), order="F"), np.random.default_rng(0), np.ones(4096)
    table, vector = np.ones((500, 94), order="F"), np.ones(94)
    factor = rng.standard_normal((96, 200))
    matrix = np.asfortranarray(factor @ factor.T)

    def solve() -> None:
        _, d, e, _, _ = dsytrd(matrix, lower=1, lwork=8 * 96)
        dstevd(d, e)

    return Rates(
        operations=2.0 * 512**3 / _least(lambda: dgemm(1.0, square, square), 5),
        bytes=table.nbytes / _least(lambda: dgemv(1.0, table, vector), 200),
        roots=len(long) / _least(lambda: np.sqrt(long), 200),
        normals=1e4 / _least(lambda: rng.standard_normal(10_000), 20),
        uniforms=1e4 / _least(lambda: rng.random(10_000), 20),
        eigen=96.0**3 / _least(solve, 20),
    )


def _least(job: Callable[[], object], calls: int) -> float:
    """Least seconds of a call over five turns."""
    spent = []
    for _ in range(5):
        started = time.process_time()
        for _ in range(calls):
            job()
        spent.append((time.process_time() - started) / calls)
    return min(spent)
