"""CPU time of IGP-UCB and pi-GP-UCB, step by step (Janz20, Table 1 and Fig. 1).

One thread; the making of functions is not timed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.environments import matern_rkhs
from tvgp.study.analyses.base.matern import played


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
        seconds, started = np.empty(horizon), time.process_time()
        for t, _, _ in played(environment, policy, names, horizon):
            seconds[t - 1] = time.process_time() - started
        rows.append(seconds[steps - 1])
    return xr.Dataset({"seconds": (("seed", "step"), np.stack(rows))}, coords={"step": steps})
