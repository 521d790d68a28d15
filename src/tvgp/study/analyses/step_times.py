"""CPU time of IGP-UCB and pi-GP-UCB, step by step (Janz20, Table 1 and Fig. 1).

One thread; only `choose` and `observe` are timed, not the environment and its noise.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies, streams
from tvgp.environments import matern_rkhs


def uses(policy: str, **parameters: Any) -> tuple[str, ...]:
    """The policy's module."""
    return (f"tvgp.policies.{policy}",)


def run(seeds: list[int], policy: str = "pi_gp_ucb", d: int = 2, horizon: int = 10000) -> xr.Dataset:
    """seconds (seed, step): CPU seconds from the start of the run to round `step`.

    Rounds are evenly spaced in log t. Functions, noise and parameters are those of janz_d1 to
    janz_d3.
    """
    steps = np.unique(np.geomspace(1, horizon, 41).round().astype(int))
    rows = []
    for seed in seeds:
        names = ("step_times", d, seed)
        environment = matern_rkhs.make(d, rng=streams.generator(*names, "environment"))
        f = environment.mean_rewards(1)
        noise = streams.generator(*names, "noise").uniform(-1.0, 1.0, horizon)
        rng = streams.generator(*names, "policy", policy)
        total, seconds = 0.0, np.empty(horizon)
        started = time.process_time()
        player = policies.make(
            policy,
            arms=environment.arms,
            kernel=environment.kernel,
            noise_variance=1.0,
            norm_bound=environment.norm(1),
            delta=0.1,
            horizon=horizon,
            sub_gaussian=1.0,
        )
        for t in range(1, horizon + 1):
            arm = player.choose(t, rng)
            player.observe(t, arm, float(f[arm] + noise[t - 1]))
            total = time.process_time() - started
            seconds[t - 1] = total
        rows.append(seconds[steps - 1])
    return xr.Dataset({"seconds": (("seed", "step"), np.stack(rows))}, coords={"step": steps})
