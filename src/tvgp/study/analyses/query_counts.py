"""Expert queries N_T of the published schedules out to 10^7 rounds, without running a bandit.

Nominal counts (`tvgp.theory.query_counts`), as in the published tables: a policy asks one more query
in round 1, and fewer where it has played fewer arms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp.study.results import growth
from tvgp.theory import query_counts

SPARQ_HORIZON = 10**6
TABULATED = (500, 5000, 500_000)


def run(
    seeds: list[int],
    alphas: Sequence[float],
    horizon: int = 10**7,
    alpha_tilde: float = 0.25,
    query_scale: float = 6.0,
) -> xr.Dataset:
    """w_sparq (alpha, round) and sparq (round), NaN beyond 10^6 rounds: N_T at rounds evenly spaced
    in log t and at the rounds of the published tables; alpha_tilde, query_scale: as given.

    ValueError for alpha of 0 or less, alpha_tilde outside (0, 1/3) and fewer than 100 rounds.
    """
    rounds = np.union1d(growth.saved_rounds(horizon), [t for t in TABULATED if t <= horizon])
    w_sparq = [query_counts.w_sparq_total(rounds, a, alpha_tilde, query_scale) for a in alphas]
    near = rounds <= SPARQ_HORIZON
    sparq = np.full(len(rounds), np.nan)
    sparq[near] = query_counts.sparq_total(rounds[near], query_scale)
    return xr.Dataset(
        {
            "w_sparq": (("alpha", "round"), np.array(w_sparq)),
            "sparq": ("round", sparq),
            "alpha_tilde": alpha_tilde,
            "query_scale": query_scale,
        },
        coords={"alpha": [float(a) for a in alphas], "round": rounds},
    )
