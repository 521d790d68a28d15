"""Regret over drift exponent alpha and query exponent p: N_T = T^p queries, evenly spaced.

The ageing test bed (`tvgp.study.analyses.ageing`) at several horizons T, each with its own schedule
(`schedules.even_bundles`); the queried arms are a k-DPP sample of the arms played. Two procedures:
`windows`, where the answers replace all data, as in W-SparQ-GP-UCB, and `everything`, which drops no
data and knows all variances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.ageing.merged import AgeingMerged
from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.ageing.planned import PlannedQueries, PlannedWindows
from tvgp.ageing.simulate import simulate
from tvgp.policies import ui_sparq_gp_ucb, w_sparq_gp_ucb
from tvgp.study.analyses.base import curves
from tvgp.study.analyses.base.testbed import TestBed, on_test_bed
from tvgp.study.results import growth
from tvgp.theory import schedules

PROCEDURES = {
    "windows": (PlannedWindows, w_sparq_gp_ucb.Parameters),
    "everything": (PlannedQueries, ui_sparq_gp_ucb.Parameters),
}


@on_test_bed(n_arms=201)
def run(
    seeds: list[int],
    test_bed: TestBed,
    procedure: str,
    alphas: Sequence[float],
    query_exponents: Sequence[float],
    horizons: Sequence[int],
    width: float | None = None,
) -> xr.Dataset:
    """R_T, the realised N_T (below T^p if fewer arms were played) and late regret per round;
    random_play (seed), regret per round of uniformly random arms.

    Dimensions seed, alpha, query_exponent, horizon. width: as in the analysis `ageing`. ValueError for
    alpha below 0, a query exponent outside [0, 1], an unknown procedure, a horizon below 100, fewer than two
    horizons and a width below 0.
    """
    if procedure not in PROCEDURES:
        listed = ", ".join(PROCEDURES)
        raise ValueError(f"phase diagram: procedure is {procedure!r}; expected {listed}")
    if len(horizons) < 2 or min(horizons) < growth.SHORTEST:
        raise ValueError(
            f"phase diagram: horizons are {list(horizons)}, too short for a slope; expected two or"
            f" more of {growth.SHORTEST} rounds or more"
        )
    own = curves.policy_parameters(width=width)
    shape = (len(seeds), len(alphas), len(query_exponents), len(horizons))
    regret, late, random_play = np.empty(shape), np.empty(shape), np.empty(len(seeds))
    queries = np.empty(shape, dtype=np.int64)
    for index in np.ndindex(shape):
        seed, alpha = seeds[index[0]], alphas[index[1]]
        p, horizon = query_exponents[index[2]], horizons[index[3]]
        f, prior = test_bed.fixed(seed)
        starts, sizes = schedules.even_bundles(horizon, p)
        names = ("phase_diagram", f"{alpha:g}", seed)
        noise_growth = NoiseGrowth(test_bed.noise_variance, alpha)
        player, parameters = PROCEDURES[procedure]
        values = parameters(
            norm_bound=test_bed.norm_bound, delta=test_bed.delta, horizon=horizon, alpha=alpha, **own
        )
        run = simulate(
            player(prior, test_bed.noise_variance, values, starts, sizes),
            AgeingMerged(prior, noise_growth, f, streams.NoiseField(test_bed.n_arms, *names, "noise")),
            horizon,
            rng=streams.generator(*names, procedure, f"{p:g}", horizon),
        )
        regret[index] = run.regret.sum()
        queries[index] = run.expert_queries.sum()
        late[index] = growth.late(run.regret)
        random_play[index[0]] = f.max() - f.mean()
    dims = ("seed", "alpha", "query_exponent", "horizon")
    return xr.Dataset(
        {
            "cumulative_regret": (dims, regret),
            "queries": (dims, queries),
            "late_regret": (dims, late),
            "random_play": ("seed", random_play),
        },
        coords={
            "alpha": [float(a) for a in alphas],
            "query_exponent": [float(p) for p in query_exponents],
            "horizon": [int(t) for t in horizons],
        },
    )


def uses(**parameters: Any) -> tuple[str, ...]:
    """The environment, loaded by name."""
    return ("tvgp.environments.ageing",)
