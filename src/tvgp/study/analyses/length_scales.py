"""Which length-scale did Bogunovic16 use for Fig. 2a? Average regret over assumed ones, one per part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import kernels, policies, streams
from tvgp.environments import gp_markov
from tvgp.study.run.simulate_named import simulate_named
from tvgp.theory.schedules import bogunovic_block_length

METHODS = {"tv_known": "tv_gp_ucb", "r_known": "r_gp_ucb"}
_NOISE_STD = 0.1


def uses(**_) -> tuple[str, ...]:
    """The policies' modules."""
    return tuple(f"tvgp.policies.{name}" for name in METHODS.values())


def run(
    seeds: Sequence[int],
    length_scale: float,
    epsilons: Sequence[float] = (0.001, 0.01, 0.03),
    horizon: int = 200,
    n_side: int = 50,
) -> xr.Dataset:
    """average (seed, policy, epsilon): R_T / T of TV-GP-UCB and R-GP-UCB, which know the length-scale and
    epsilon, on the functions of Bogunovic16, Fig. 2a. The random numbers do not depend on the length-scale.
    """
    kernel = kernels.make("se", variance=1.0, length_scale=length_scale)
    average = np.empty((len(seeds), len(METHODS), len(epsilons)))
    for i, k in np.ndindex(len(seeds), len(epsilons)):
        epsilon = epsilons[k]
        names = ("length_scales", f"{epsilon:g}", seeds[i])
        environment = gp_markov.make(
            length_scale=length_scale,
            epsilon=epsilon,
            n_side=n_side,
            horizon=horizon,
            noise_std=_NOISE_STD,
            rng=streams.generator(*names, "environment"),
        )
        own: dict[str, dict[str, Any]] = {
            "tv_gp_ucb": {"epsilon": epsilon},
            "r_gp_ucb": {"block_length": bogunovic_block_length(epsilon, horizon, np.inf)},
        }
        for j, algorithm in enumerate(METHODS.values()):
            policy = policies.make(
                algorithm,
                arms=environment.arms,
                kernel=kernel,
                noise_variance=_NOISE_STD**2,
                width="logarithmic",
                horizon=horizon,
                **own[algorithm],
            )
            average[i, j, k] = simulate_named(policy, environment, horizon, names, algorithm).regret.mean()
    return xr.Dataset(
        {"average": (("seed", "policy", "epsilon"), average), "length_scale": float(length_scale)},
        coords={"policy": list(METHODS), "epsilon": [float(epsilon) for epsilon in epsilons]},
    )
