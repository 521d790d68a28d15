"""What noise in the expert's answers costs SparQ- and W-SparQ-GP-UCB, one policy per part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import policies
from tvgp.environments import rkhs_sine
from tvgp.study.results import subsets
from tvgp.study.run.simulate_named import simulate_named

_NOISE_VARIANCE = 0.01


def uses(algorithm: str, **_) -> tuple[str, ...]:
    """The policy's module."""
    return (f"tvgp.policies.{algorithm}",)


def run(
    seeds: Sequence[int],
    algorithm: str = "sparq_gp_ucb",
    horizon: int = 500,
    width: float = 2.0,
    rule: str = "dpp",
    ratios: Sequence[float] = (0.01, 0.1, 1.0, 10.0, 100.0),
) -> xr.Dataset:
    """regret, queries (seed, ratio): averages per round on the functions of Mauduit25b, Fig. 2.

    ratios: variance of an answer over that of an observation, which the policy knows; width: constant,
    as the information width hides all else; rule: of the subset.
    """
    found = np.empty((2, len(seeds), len(ratios)))
    for i, seed in enumerate(seeds):
        for j, ratio in enumerate(ratios):
            variance = float(ratio) * _NOISE_VARIANCE
            environment = rkhs_sine.make(expert_noise_std=variance**0.5)
            policy = policies.make(
                algorithm,
                arms=environment.arms,
                kernel=environment.kernel,
                noise_variance=_NOISE_VARIANCE,
                expert_noise_variance=variance,
                horizon=horizon,
                width=width,
                **subsets.parameters(rule),
            )
            result = simulate_named(policy, environment, horizon, ("expert_noise", "1", seed), algorithm)
            found[:, i, j] = result.regret.mean(), result.expert_queries.mean()
    dims = ("seed", "ratio")
    return xr.Dataset(
        {"regret": (dims, found[0]), "queries": (dims, found[1])},
        coords={"ratio": [float(ratio) for ratio in ratios]},
    )
