"""The drifting test bed (`tvgp.environments.drift`) played by the study's policies, one a part.

What is saved, and at which rounds, is as in `tvgp.study.analyses.ageing`. The drift's step is the noise's
standard deviation, as Mauduit25b (7) has it. TV-GP-UCB gets the epsilon of the true correlation of
neighbouring rounds, SW- and W-GP-UCB the settings recommended for the true B_T, W-SparQ the true
alpha.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp.study.results import growth
from tvgp.study.run import build
from tvgp.study.run.job import Experiment, RunJob
from tvgp.study.run.world import World

ALGORITHMS = {
    "sparq_gp_ucb": ("sparq_gp_ucb", {"version": "2025b"}),
    "fresh_sample_ucb_sparq": ("fresh_sample_ucb", {"schedule": "sparq"}),
    "fresh_sample_ucb_w_sparq": ("fresh_sample_ucb", {"schedule": "w_sparq"}),
}


def run(
    seeds: list[int],
    method: str,
    alphas: Sequence[float],
    horizon: int,
    n_arms: int = 501,
    n_centres: int = 20,
    variance: float = 0.5,
    length_scale: float = 3.0,
    noise_variance: float = 0.01,
    norm_bound: float = 5.0,
    delta: float = 0.05,
) -> xr.Dataset:
    """Runs of a method for each seed and alpha; variables as in `tvgp.study.analyses.ageing.run`.

    ValueError for alpha outside (0, 2], an unknown method and fewer than 100 rounds.
    """
    rounds = growth.saved_rounds(horizon)
    regret = np.empty((len(seeds), len(alphas), len(rounds)))
    queries = np.empty(regret.shape, dtype=np.int64)
    late, random_play = np.empty(regret.shape[:2]), np.empty(regret.shape[:2])
    noise_std = float(np.sqrt(noise_variance))
    environment = {
        "step": noise_std,
        "n_arms": n_arms,
        "n_centres": n_centres,
        "variance": variance,
        "length_scale": length_scale,
        "norm_bound": norm_bound,
        "noise_std": noise_std,
    }
    fit = {
        "kernel": {"name": "se", "variance": variance, "length_scale": length_scale},
        "noise_variance": noise_variance,
        "norm_bound": norm_bound,
        "prior_mean": 0.0,
    }
    algorithm, parameters = ALGORITHMS.get(method, (method, {}))
    experiment = Experiment("drift", "drift", environment, None, horizon, None, False)
    world = World.open(experiment)
    for j, alpha in enumerate(alphas):
        job = RunJob(
            experiment=experiment,
            policy=method,
            algorithm=algorithm,
            alpha=f"{alpha:g}",
            parameters=parameters,
            from_fit={},
            tuned=None,
            delta=delta,
            exact_norm=False,
            squared_error=False,
        )
        for i, seed in enumerate(seeds):
            drifting = world.environment(job.alpha, seed)
            one = build.run_once(job, world, seed, fit | {"epsilon": one_step(alpha, drifting)})[0]
            regret[i, j] = np.cumsum(one.regret)[rounds - 1]
            queries[i, j] = np.cumsum(one.expert_queries, dtype=np.int64)[rounds - 1]
            late[i, j] = growth.late(one.regret)
            some = [drifting.mean_rewards(int(t)) for t in np.linspace(1, horizon, 200)]
            random_play[i, j] = np.mean([f.max() - f.mean() for f in some])
    return xr.Dataset(
        {
            "cumulative_regret": (("seed", "alpha", "round"), regret),
            "cumulative_queries": (("seed", "alpha", "round"), queries),
            "late_regret": (("seed", "alpha"), late),
            "random_play": (("seed", "alpha"), random_play),
        },
        coords={"alpha": [float(a) for a in alphas], "round": rounds},
    )


def one_step(alpha: float, environment) -> float:
    """epsilon of TV-GP-UCB with sqrt(1 - epsilon) = Corr(f_t, f_{t+1}) = exp(-tau^-alpha)."""
    return float(-np.expm1(-2.0 * environment.correlation_time**-alpha))


def uses(method: str, **parameters) -> tuple[str, ...]:
    """The environment and the algorithm, which are loaded by name."""
    return ("tvgp.environments.drift", f"tvgp.policies.{ALGORITHMS.get(method, (method,))[0]}")
