"""Regret of the Bayes decision as the horizon grows (Mauduit25b, Proposition 5.1, Theorem 5.3).

The theorem's own setting: one main evaluation in every round and N_T further queries, evenly spread;
f is uniform on a family of bumps of height 2 gamma, and at time tau an observation of round t has
noise variance sigma^2 (1 + (tau - t)^alpha). All evaluations go where the upper bound is largest. R_T
is linear if the regret per round does not fall.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.study.analyses.lower_bounds import ALPHAS, NOISE_VARIANCE, NORM_BOUND, TIMES
from tvgp.theory import bump_family
from tvgp.theory.bounds import query_threshold

GAPS = (0.5, 0.1)
BOUNDED = 10
BUDGETS = ("bounded", "threshold")


def run(seeds: list[int], horizons: Sequence[int] = (100, 1000, 10000), trials: int = 100) -> xr.Dataset:
    """error, regret (seed, gap, alpha, budget, horizon): means over the trials and over times tau spread
    over the second half of the horizon; queries (alpha, budget, horizon): N_T = 10 for `bounded`,
    T^(alpha/(alpha+1)) for `threshold`; fixed_floor, adaptive_floor (gap, alpha, budget, horizon):
    Fano's bound on the error, mean over tau, as the paper has it, for evaluations fixed in advance, and
    one that holds for adaptive ones; functions: M (gap).
    """
    families = [bump_family.family(gap, bump_family.narrowest_width(gap, NORM_BOUND)) for gap in GAPS]
    shape = (len(GAPS), len(ALPHAS), len(BUDGETS), len(horizons))
    error, regret = np.empty((2, len(seeds), *shape))
    fixed, adaptive = np.empty((2, *shape))
    queries = np.empty(shape[1:])
    for at in np.ndindex(shape):
        gap, a, budget, h = at
        bumps, alpha, horizon = families[gap], ALPHAS[a], int(horizons[h])
        n = BOUNDED if BUDGETS[budget] == "bounded" else round(horizon ** float(query_threshold(alpha)))
        evaluations = bump_family.even(horizon, n) + 1
        queries[a, budget, h] = n
        times = np.linspace(horizon // 2, horizon, TIMES).round().astype(int)
        S = bump_family.cumulative_precision(evaluations.astype(float), alpha, NOISE_VARIANCE)[times - 1]
        m = len(bumps.centres)
        fixed[at] = bump_family.fano_bound(S * bumps.fixed_information, m).mean()
        adaptive[at] = bump_family.fano_bound(S * bumps.adaptive_information, m).mean()
        for s, seed in enumerate(seeds):
            rng = streams.generator("linear_regret", *at, seed)
            wrong, lost = bump_family.decide_adaptively(
                bumps, evaluations, times, alpha, NOISE_VARIANCE, trials, rng
            )
            error[s, *at], regret[s, *at] = wrong.mean(), lost.mean()
    dims = ("gap", "alpha", "budget", "horizon")
    return xr.Dataset(
        {
            "error": (("seed", *dims), error),
            "regret": (("seed", *dims), regret),
            "fixed_floor": (dims, fixed),
            "adaptive_floor": (dims, adaptive),
            "queries": (dims[1:], queries),
            "functions": ("gap", [len(bumps.centres) for bumps in families]),
        },
        coords={
            "gap": list(GAPS),
            "alpha": list(ALPHAS),
            "budget": list(BUDGETS),
            "horizon": [int(h) for h in horizons],
        },
    )
