"""Theorem 5.3 of Mauduit25b at a frozen horizon: the Bayes decision from ageing observations.

f is uniform on the bump family; at time tau, an observation of round t has noise variance
sigma^2 (1 + (tau - t)^alpha). Error: the most probable function is not the true one. The theorem's
setting has one main evaluation in every round beside the n_t queries (eq. 39 and 41).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.theory import bump_family, query_counts, schedules

SCHEDULES = ("even", "bursts", "w_sparq")
TIMES = 12
ALPHAS = (1.5, 2.0, 3.0)
MAIN = (0, 1)  # main evaluations per round
QUERIES_PER_ROUND = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
GAP, NORM_BOUND, NOISE_VARIANCE = 0.5, 5.0, 0.01


def run(
    seeds: list[int],
    schedule: str = "even",
    horizons: Sequence[int] = (1000, 10000),
    trials: int = 40,
) -> xr.Dataset:
    """One repetition of `trials` draws per seed, at times tau spread over the second half, without and
    with one main evaluation per round: main = 0, 1.

    error, regret and, for evaluations that follow the largest upper bound, adaptive_error,
    adaptive_regret (seed, main, alpha, horizon, budget, time): means over the trials; precision: sum
    of 1/sigma_t^2 at tau, S_tau for main = 0 (main, alpha, horizon, budget, time); mean_precision: its
    mean over all tau, and counting_bound on it (main, alpha, horizon, budget); queries: N_T (alpha,
    horizon, budget). Schedule `bursts` puts the queries in ten rounds; `w_sparq` scales W-SparQ's
    numbers of queries (alpha_tilde = 1/4, nominal, from `tvgp.theory.query_counts`). ValueError for
    another schedule.
    """
    if schedule not in SCHEDULES:
        raise ValueError(f"lower bounds: schedule is {schedule!r}, expected {', '.join(SCHEDULES)}")
    bumps = bump_family.family(GAP, bump_family.narrowest_width(GAP, NORM_BOUND))
    shape = (len(MAIN), len(ALPHAS), len(horizons), len(QUERIES_PER_ROUND))
    results = {
        name: np.empty((len(seeds), *shape, TIMES))
        for name in ("error", "regret", "adaptive_error", "adaptive_regret")
    }
    precision = np.empty((*shape, TIMES))
    queries = np.empty(shape[1:])
    mean_precision, bound = np.empty(shape), np.empty(shape)
    for at in np.ndindex(shape):
        main, a, h, b = at
        alpha, horizon = ALPHAS[a], int(horizons[h])
        asked = _asked(schedule, alpha, horizon, QUERIES_PER_ROUND[b])
        evaluations = asked + MAIN[main]
        S = bump_family.cumulative_precision(evaluations.astype(float), alpha, NOISE_VARIANCE)
        queries[a, h, b], mean_precision[at] = asked.sum(), S.mean()
        bound[at] = bump_family.counting_bound(evaluations.sum(), horizon, alpha, NOISE_VARIANCE)
        times = np.linspace(horizon // 2, horizon, TIMES).round().astype(int)
        precision[at] = S[times - 1]
        for s, seed in enumerate(seeds):
            rng = streams.generator("lower_bounds", schedule, main, a, h, b, seed)
            for start, decide in (("", bump_family.decide), ("adaptive_", bump_family.decide_adaptively)):
                wrong, regret = decide(bumps, evaluations, times, alpha, NOISE_VARIANCE, trials, rng)
                results[f"{start}error"][s, *at] = wrong.mean(axis=1)
                results[f"{start}regret"][s, *at] = regret.mean(axis=1)
    dims = ("main", "alpha", "horizon", "budget")
    return xr.Dataset(
        {name: (("seed", *dims, "time"), values) for name, values in results.items()}
        | {
            "precision": ((*dims, "time"), precision),
            "queries": (dims[1:], queries),
            "mean_precision": (dims, mean_precision),
            "counting_bound": (dims, bound),
            "functions": len(bumps.centres),
            "largest_regret": 2.0 * GAP,
        },
        coords={"main": list(MAIN), "alpha": list(ALPHAS), "horizon": list(horizons)},
    )


def _asked(schedule: str, alpha: float, horizon: int, per_round: float) -> np.ndarray:
    """n_1, ..., n_T with about `per_round` T queries."""
    total = max(1, round(per_round * horizon))
    if schedule == "even":
        return bump_family.even(horizon, total)
    if schedule == "bursts":
        return bump_family.bursts(horizon, total, 10)
    starts = schedules.window_starts(horizon, alpha)
    weights = query_counts.nominal_queries(starts)
    asked = np.zeros(horizon, dtype=np.int64)
    ends = (np.cumsum(weights) * total / max(weights.sum(), 1)).round().astype(int)
    asked[starts - 1] = np.diff(ends, prepend=0)
    return asked
