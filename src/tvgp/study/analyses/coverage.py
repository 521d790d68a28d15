"""How often |mu_{t-1}(x) - f_t(x)| <= width_t sigma_{t-1}(x) really holds, policy by policy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.simulate import simulate
from tvgp.study.run import build
from tvgp.study.run.job import Experiment, RunJob
from tvgp.study.run.world import World


def uses(algorithm: str, **_) -> tuple[str, ...]:
    """The policy's module."""
    return (f"tvgp.policies.{algorithm}", "tvgp.environments.rkhs_sine")


def run(
    seeds: Sequence[int],
    algorithm: str = "gp_ucb",
    horizon: int = 500,
    alpha: float = 1.0,
    delta: float = 0.05,
    norm_bound: float = 5.0,
    epsilon: float = 0.03,
    version: str | None = None,
) -> xr.Dataset:
    """On the functions of Mauduit25b, Fig. 2, with the recommended settings.

    covered (seed, round): share of the arms whose reward lies within the width; everywhere
    (seed, round): whether all do; played (seed, round): whether the arm played does; width (seed,
    round): the number before sigma. Round 1 is left out: there are no data yet.
    """
    arms = {"n_arms": 501, "n_centres": 20, "norm_factor": "printed", "centres": "equispaced"}
    experiment = Experiment("coverage", "rkhs_sine", arms, None, horizon, None, False)
    job = RunJob(
        experiment=experiment,
        policy=algorithm,
        algorithm=algorithm,
        alpha=f"{alpha:g}",
        parameters={} if version is None else {"version": version},
        from_fit={},
        tuned=None,
        delta=delta,
        exact_norm=False,
        squared_error=False,
    )
    world = World.open(experiment)
    fit = {
        "kernel": {"name": "se", "variance": 0.5, "length_scale": 3.0},
        "noise_variance": 0.01,
        "norm_bound": norm_bound,
        "prior_mean": 0.0,
        "epsilon": epsilon,
    }
    rows = []
    for seed in seeds:
        environment = world.environment(job.alpha, seed)
        policy = build.build_policy(job, environment, horizon, fit)
        if not hasattr(policy, "confidence_band"):
            raise ValueError(f"coverage: {algorithm} has no confidence band")
        watched = _Watched(policy, environment)
        names, n_arms = world.stream_names(job.alpha, seed), len(environment.arms)
        simulate(
            watched,
            environment,
            horizon,
            rng=streams.generator(*names, "policy", algorithm),
            **streams.noise_fields(n_arms, *names),
        )
        rows.append(np.array(watched.rows[1:]))
    values = np.stack(rows)
    return xr.Dataset(
        {
            name: (("seed", "round"), values[:, :, i])
            for i, name in enumerate(("covered", "everywhere", "played", "width"))
        },
        coords={"round": np.arange(2, horizon + 1)},
    )


class _Watched:
    """A policy whose confidence band is compared with the truth whenever it chooses."""

    def __init__(self, policy, environment) -> None:
        self._policy, self._environment = policy, environment
        self.rows: list[tuple[float, float, float, float]] = []

    def choose(self, t, rng, available=None):
        arm = self._policy.choose(t, rng, available)
        mean, half, width = self._policy.confidence_band(t)
        # a wide band at rounding distance counts as covering
        inside = np.abs(mean - self._environment.mean_rewards(t)) <= half * (1 + 1e-9)
        self.rows.append((inside.mean(), float(inside.all()), float(inside[arm]), width))
        return arm

    def __getattr__(self, name):
        return getattr(self._policy, name)
