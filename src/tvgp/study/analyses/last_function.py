"""Regret of the policy that knows f_{t-1} (Bogunovic16, Theorem 4.1), under the Gauss-Markov model.

No algorithm does better in expectation, with bandit feedback or with full information of the past.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies, streams
from tvgp.environments import gp_markov
from tvgp.environments.base.drawn import Drawn
from tvgp.kernels import make as make_kernel
from tvgp.study.run.simulate_named import simulate_named


def uses(**parameters: Any) -> tuple[str, ...]:
    """The policy's module."""
    return ("tvgp.policies.oracle",)


def run(
    seeds: list[int],
    kernel: str = "se",
    length_scale: float = 0.2,
    horizon: int = 200,
    epsilons: Sequence[float] = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1),
    n_side: int = 50,
) -> xr.Dataset:
    """regret (seed, epsilon): mean over rounds 2 to T; round 1 has no f_0. Seeds share their draws
    across epsilon."""
    k = make_kernel(kernel, variance=1.0, length_scale=length_scale)
    regret = np.empty((len(seeds), len(epsilons)))
    for i, seed in enumerate(seeds):
        names = ("last_function", kernel, str(length_scale), seed)
        innovations = gp_markov.draw_grid(k, n_side, horizon, streams.generator(*names, "environment"))
        for j, epsilon in enumerate(epsilons):
            table = gp_markov.markov(innovations, epsilon)
            environment = Drawn(gp_markov.grid(n_side), table, noise_std=0.1)
            policy = policies.make("oracle", arms=environment.arms, kernel=k, noise_variance=0.01, delay=1)
            regret[i, j] = simulate_named(policy, environment, horizon, names, j).regret[1:].mean()
    return xr.Dataset({"regret": (("seed", "epsilon"), regret)}, coords={"epsilon": list(epsilons)})
