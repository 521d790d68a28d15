"""CPU time of SparQ-GP-UCB, W-SparQ-GP-UCB and GP-UCB, round by round (Mauduit25a, Theorem 3.2;
Mauduit25b, Theorem 3.6, section 3.3 and Remark 3.12); not byte-reproducible.

One thread; the policies' own calls only, not the environment and its noise. GP-UCB refactorises all
data in every round ("textbook", as the theorems count it) or appends a row. On the functions of
Mauduit25b, Fig. 2.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies, streams
from tvgp.environments import rkhs_sine

# SparQ's chain has a fixed number of swaps; the exact sampler has none.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "gp_ucb": ("gp_ucb", {"engine": "append"}),
    "gp_ucb_textbook": ("gp_ucb", {"engine": "dense"}),
    "sparq_swap": ("sparq_gp_ucb", {"subset": "swap"}),
    "sparq_exact": ("sparq_gp_ucb", {"subset": "dpp"}),
    "w_sparq_25": ("w_sparq_gp_ucb", {"subset": "swap", "alpha_tilde": 0.25}),
}


def uses(**parameters: Any) -> tuple[str, ...]:
    """The policies."""
    return tuple(f"tvgp.policies.{name}" for name in dict.fromkeys(name for name, _ in METHODS.values()))


def run(seeds: list[int], horizon: int = 2000) -> xr.Dataset:
    """seconds (seed, algorithm, step): CPU seconds from the start of the run to round `step`, evenly spaced
    in log t; alpha = 1."""
    steps = np.unique(np.geomspace(10, horizon, 17).round().astype(int))
    seconds = np.empty((len(seeds), len(METHODS), len(steps)))
    for at in np.ndindex(seconds.shape[:2]):
        seed, (name, own) = seeds[at[0]], list(METHODS.values())[at[1]]
        environment = rkhs_sine.make()
        streams_of = ("running_times", list(METHODS)[at[1]], seed)
        rng = streams.generator(*streams_of, "policy")
        fields = streams.noise_fields(len(environment.arms), *streams_of)
        noise, answers = fields["noise"], fields["expert_noise"]
        policy = policies.make(
            name,
            arms=environment.arms,
            kernel=environment.kernel,
            noise_variance=environment.noise_std**2,
            horizon=horizon,
            **own,
        )
        total, taken = 0.0, np.empty(horizon)
        for t in range(1, horizon + 1):
            f = environment.mean_rewards(t)
            y = f + environment.noise_std * noise.at(t)
            z = f + environment.expert_noise_std * answers.at(t)
            started = time.process_time()
            arm = policy.choose(t, rng)
            policy.observe(t, arm, float(y[arm]))
            asked = policy.expert_queries(t, rng)
            if len(asked):
                policy.observe_expert(t, asked, z[asked])
            total += time.process_time() - started
            taken[t - 1] = total
        seconds[at] = taken[steps - 1]
    return xr.Dataset(
        {"seconds": (("seed", "algorithm", "step"), seconds)},
        coords={"algorithm": list(METHODS), "step": steps},
    )
