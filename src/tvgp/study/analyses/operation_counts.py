"""Operations of SparQ-GP-UCB and W-SparQ-GP-UCB as the papers count them, beside their bounds
(Mauduit25a, Theorem 3.2; Mauduit25b, Theorem 3.6 and section 3.3), and queries (Remark 3.12)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp.theory import costs, query_counts

EXPERIMENTS = 500  # rounds of the papers' experiments


def run(
    seeds: list[int],
    alphas: Sequence[float] = (1.0, 2.0),
    alpha_tildes: Sequence[float] = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.33),
    horizon: int = 10**6,
) -> xr.Dataset:
    """sparq, sparq_bound (round): operations in all; dpp, regressions, bound, queries (alpha,
    alpha_tilde, round): those of W-SparQ, its bound and N_T. Rounds evenly spaced in log T, and 500.
    Independent of seeds."""
    rounds = np.union1d(np.geomspace(100, horizon, 17).round().astype(int), [EXPERIMENTS])
    grid = [[costs.w_sparq_operations(rounds, a, tilde) for tilde in alpha_tildes] for a in alphas]
    bounds = [[costs.w_sparq_cost_bound(rounds, a, tilde) for tilde in alpha_tildes] for a in alphas]
    asked = [[query_counts.w_sparq_total(rounds, a, tilde) for tilde in alpha_tildes] for a in alphas]
    dims = ("alpha", "alpha_tilde", "round")
    return xr.Dataset(
        {
            "sparq": ("round", costs.sparq_operations(rounds)),
            "sparq_bound": ("round", costs.sparq_cost_bound(rounds)),
            "dpp": (dims, [[each[0] for each in row] for row in grid]),
            "regressions": (dims, [[each[1] for each in row] for row in grid]),
            "bound": (dims, bounds),
            "queries": (dims, asked),
        },
        coords={"alpha": list(alphas), "alpha_tilde": list(alpha_tildes), "round": rounds},
    )
