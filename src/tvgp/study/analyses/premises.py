"""The premises of Mauduit25b that can be checked without a bandit (`tvgp.theory.premises`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments
from tvgp.theory import bounds, premises

ENVIRONMENTS = ("moving_bump", "rkhs_sine")  # deterministic and periodic, as published
ALPHAS = (0.5, 1.0, 1.5, 2.0, 3.0)


def run(
    seeds: list[int],
    horizons: Sequence[int] = (500, 5000, 50_000, 500_000, 5_000_000),
    rounds: int = 500,
    n_arms: int = 201,
) -> xr.Dataset:
    """Over alpha: neighbours_correlation, smallest_eigenvalue, longest_lag; over (alpha, horizon):
    mean_precision; over (environment, lag): mean_square_change, over (environment, round):
    path_length, sum of sup |f_{t+1} - f_t|; bound_ratio (horizon), (19) over (23). Independent of
    seeds."""
    lags = np.arange(1, rounds // 4)
    change, path = [], []
    for name in ENVIRONMENTS:
        world = environments.make(name, n_arms=n_arms)
        table = np.stack([world.mean_rewards(t) for t in range(1, rounds + 1)])
        change.append(premises.mean_square_change(table, lags))
        path.append(np.cumsum(np.abs(np.diff(table, axis=0)).max(axis=1)))
    long = np.asarray(horizons, dtype=float)
    each = {
        name: ("alpha", [getattr(premises, name)(a) for a in ALPHAS])
        for name in ("neighbours_correlation", "smallest_eigenvalue", "longest_lag")
    }
    return xr.Dataset(
        each
        | {
            "mean_precision": (
                ("alpha", "horizon"),
                [[premises.mean_precision(t, a) for t in horizons] for a in ALPHAS],
            ),
            "mean_square_change": (("environment", "lag"), np.array(change)),
            "path_length": (("environment", "round"), np.array(path)),
            "bound_ratio": (
                "horizon",
                bounds.regret_bound_sparq_2025a(long) / bounds.regret_bound_sparq_2025b(long),
            ),
        },
        coords={
            "alpha": list(ALPHAS),
            "horizon": [int(t) for t in horizons],
            "environment": list(ENVIRONMENTS),
            "lag": lags,
            "round": np.arange(2, rounds + 1),
        },
    )


def uses(**parameters: Any) -> tuple[str, ...]:
    """The environments, loaded by name."""
    return tuple(f"tvgp.environments.{name}" for name in ENVIRONMENTS)
