"""alpha and gamma by one-step-ahead predictive likelihood.

    sum_t log N(y_t; mu_{t-1}(x_t), sigma^2_{t-1}(x_t) + sigma^2)

Posteriors whose noise variances change with the age of the data are not the conditionals of one
joint Gaussian, so alpha (uncertainty injection) and gamma (weighting) have no marginal
likelihood; this sum is defined for all methods.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize_scalar

from tvgp.fitting.marginal_likelihood import log_marginal_likelihood
from tvgp.fitting.observations import check_noise_variance, check_observations
from tvgp.kernels import Kernel

# Search ranges; alpha is searched on its own scale, epsilon and gamma as logits.
BOUNDS = {"epsilon": (1e-5, 0.999), "alpha": (0.01, 3.0), "gamma": (0.01, 0.9999)}

# Grid values evaluated before Brent's search, with one in so many of the sequences.
_GRID, _SHARE = 20, 4

# Precision times prior variance below which a point is left out: it moves the sum by less than its rounding.
_NEGLIGIBLE = 1e-18


@dataclass(frozen=True)
class PredictiveFit:
    """Maximiser of the one-step-ahead predictive likelihood over one parameter.

    `log_likelihood` is the mean over sequences, `n` the number of observations in all of them; `grid`
    and `grid_log_likelihood` are the values evaluated before the refinement, of the first quarter of the
    sequences.
    """

    parameter: str
    value: float
    log_likelihood: float
    bounds_hit: tuple[str, ...]
    grid: np.ndarray
    grid_log_likelihood: np.ndarray
    n: int


def predictive_log_likelihood(
    kernel: Kernel,
    points: np.ndarray,
    times: np.ndarray,
    values: np.ndarray,
    noise_variance: float,
    *,
    epsilon: float | None = None,
    alpha: float | None = None,
    gamma: float | None = None,
) -> float:
    """sum_t log N(y_t; mu_{t-1}(x_t), sigma^2_{t-1}(x_t) + sigma^2) of one method.

    With `alpha` an observation of time s has noise variance sigma^2 (1 + lag^alpha), with
    `gamma` sigma^2 gamma^-lag (single weight), lag = t - 1 - s: the newest observation has noise
    sigma^2 in both (Mauduit25b section 3.3). With `epsilon` the kernel forgets as in TV-GP-UCB;
    without any of them the GP is static. `points` (n, d), `times` (n,) rounds, strictly increasing,
    `values` (n,). Exact. ValueError for bad input.
    """
    points, times, values = check_observations(points, times, values)
    check_noise_variance(noise_variance, smallest=np.finfo(float).tiny)
    if np.any(np.diff(times) < 1):
        i = int(np.argmax(np.diff(times) < 1)) + 1
        raise ValueError(
            f"fit: times[{i}] is {times[i]:g} after {times[i - 1]:g}; a predictive sequence has "
            "one observation per round, in order"
        )
    if sum(p is not None for p in (epsilon, alpha, gamma)) > 1:
        raise ValueError("fit: give one of epsilon, alpha, gamma, not several")
    if alpha is not None:
        if not (np.isfinite(alpha) and alpha > 0):
            raise ValueError(f"fit: alpha is {alpha}, must be positive")
        return _with_ageing_noise(
            kernel, points, times, values, noise_variance, lambda lag: 1.0 / (1.0 + lag**alpha)
        )
    if gamma is not None:
        if not 0 < gamma <= 1:
            raise ValueError(f"fit: gamma is {gamma}, must lie in (0, 1]")
        return _with_ageing_noise(kernel, points, times, values, noise_variance, lambda lag: gamma**lag)
    # A joint Gaussian: by the chain rule the sum is the log marginal likelihood.
    return log_marginal_likelihood(
        kernel, points, times, values, noise_variance, epsilon or 0.0, gradient=False
    )


def _with_ageing_noise(
    kernel: Kernel,
    points: np.ndarray,
    times: np.ndarray,
    values: np.ndarray,
    noise_variance: float,
    weight: Callable[[np.ndarray], np.ndarray],
) -> float:
    """The sum for noise variances sigma^2 / weight(lag).

    Observations of one point are merged (precisions add), and the system is solved in the scaled
    form I + S K S, S = diag(sqrt(precision)): its smallest eigenvalue is at least 1. Points of which all
    observations are forgotten are left out of it.
    """
    _, first, group = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # number the distinct points by first appearance
    group = np.argsort(order)[group.ravel()]
    distinct = points[first[order]]
    K = kernel(distinct, distinct)
    prior = K.diagonal()
    seen = np.maximum.accumulate(group) + 1
    memory = np.empty(K.size)  # used again: new pages cost as much as the arithmetic
    total = 0.0
    for k in range(len(values)):
        here = group[k]
        mean, variance = 0.0, K[here, here]
        u, old = seen[k - 1] if k else 0, group[:k]
        precision = weight(times[k] - 1.0 - times[:k]) / noise_variance
        total_precision = np.bincount(old, precision, minlength=u)
        known = np.flatnonzero(total_precision * prior[:u] > _NEGLIGIBLE)
        if len(known):  # none after a long gap
            kept = known if len(known) < u else slice(u)  # a view, not a copy
            s = np.sqrt(total_precision[kept])
            target = np.bincount(old, precision * values[:k], minlength=u)[kept] / s
            C = memory[: len(s) ** 2].reshape(len(s), len(s))
            np.multiply(s[:, None], K[kept][:, kept], out=C)
            C *= s
            C.flat[:: len(s) + 1] += 1.0
            L, _ = lapack.dpotrf(C.T, lower=1, clean=0, overwrite_a=1)
            z, _ = lapack.dtrtrs(L, np.column_stack([s * K[kept, here], target]), lower=1)
            mean = z[:, 0] @ z[:, 1]
            variance -= z[:, 0] @ z[:, 0]
        spread = variance + noise_variance
        total -= 0.5 * (np.log(2 * np.pi * spread) + (values[k] - mean) ** 2 / spread)
    return float(total)


def mean_log_likelihood(
    kernel: Kernel,
    sequences: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    noise_variance: float,
    **memory: Any,
) -> float:
    """Mean over sequences of `predictive_log_likelihood`; memory: its epsilon, alpha or gamma."""
    each = [predictive_log_likelihood(kernel, *data, noise_variance, **memory) for data in sequences]
    return math.fsum(each) / len(each)


def fit_predictive(
    kernel: Kernel,
    sequences: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    noise_variance: float,
    parameter: str,
    *,
    bounds: tuple[float, float] | None = None,
) -> PredictiveFit:
    """Maximise the mean of `predictive_log_likelihood` over sequences, for "alpha", "gamma" or "epsilon".

    sequences: (points, times, values) each, of the same process but visiting different points. A grid
    of 20 values over `bounds` (default `BOUNDS`) with a quarter of the sequences; from the best of
    them uphill on the grid with all sequences, and then Brent's bounded search between the neighbours, except
    at an end of the range from which the likelihood falls. A maximum at an end is reported.
    """
    if parameter not in BOUNDS:
        raise ValueError(f"fit: unknown parameter {parameter!r}; known: {', '.join(BOUNDS)}")
    low, high = bounds or BOUNDS[parameter]
    if not 0 < low < high or (parameter != "alpha" and high >= 1):
        raise ValueError(f"fit: bounds of {parameter} are ({low}, {high})")
    sequences = [check_observations(*sequence, minimum=3) for sequence in sequences]

    ends = np.array([low, high])
    if parameter != "alpha":
        ends = np.log([low, high]) - np.log1p([-low, -high])

    def natural(z: float) -> float:
        return float(z) if parameter == "alpha" else float(1.0 / (1.0 + np.exp(-z)))

    @functools.cache
    def score(z: float, first: int = len(sequences)) -> float:
        return mean_log_likelihood(kernel, sequences[:first], noise_variance, **{parameter: natural(z)})

    grid = np.linspace(ends[0], ends[1], _GRID).tolist()
    few = math.ceil(len(sequences) / _SHARE)
    scores = [score(z, few) for z in grid]
    i, last = int(np.argmax(scores)), -1
    while i != last:  # uphill, where the few have their maximum elsewhere
        last, near = i, range(max(i - 1, 0), min(i + 2, _GRID))
        i = max(near, key=lambda j: score(grid[j]))
    tolerance = 1e-3 * (grid[-1] - grid[0])
    z = grid[i]
    inside = {0: z + tolerance, _GRID - 1: z - tolerance}.get(i)
    if inside is None or score(inside) > score(z):
        bracket = (grid[near[0]], grid[near[-1]])
        z = minimize_scalar(lambda z: -score(z), bounds=bracket, method="bounded", options={"xatol": 1e-4}).x
        z = max(grid[i], z, key=score)
    best = score(z)
    hit: tuple[str, ...] = ()
    if z - grid[0] <= tolerance:
        hit = (f"{parameter} at its lower bound {low:.6g}",)
    elif grid[-1] - z <= tolerance:
        hit = (f"{parameter} at its upper bound {high:.6g}",)
    return PredictiveFit(
        parameter=parameter,
        value=natural(z),
        log_likelihood=float(best),
        bounds_hit=hit,
        grid=np.array([natural(g) for g in grid]),
        grid_log_likelihood=np.array(scores),
        n=sum(len(values) for *_, values in sequences),
    )
