"""Information gain gamma_T = 1/2 log det(I + K / sigma^2) against T: greedy, and as realised.

greedy: the largest, chosen one arm at a time with replacement, within 1 - 1/e of the maximum
(Srinivas et al. 2010, section 4); realised: of the arms that GP-UCB plays on a function with
|f|_k = B without drift, the function of the ageing test bed.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp import environments, kernels, posterior, streams
from tvgp.acquisition import best_arm, random_best_arm
from tvgp.posterior import Prior
from tvgp.study.analyses.ageing import STREAM
from tvgp.theory import schedules
from tvgp.theory.widths import information_width


def run(
    seeds: list[int],
    kernel: str,
    horizon: int,
    n_arms: int = 501,
    n_centres: int = 20,
    variance: float = 0.5,
    length_scale: float = 3.0,
    noise_variance: float = 0.01,
    norm_bound: float = 5.0,
    delta: float = 0.05,
    per_decade: int = 8,
) -> xr.Dataset:
    """greedy (round), realised (seed, round), at rounds evenly spaced in log t, 1 to the horizon.

    kernel: as in `kernels.make`. ValueError for an unknown kernel and a horizon below 10.
    """
    if horizon < 10:
        raise ValueError(f"information gain: horizon is {horizon}; expected 10 or more")
    steps = int(np.ceil(per_decade * np.log10(horizon)))
    rounds = np.unique(np.geomspace(1, horizon, steps + 1).round().astype(int))
    k = kernels.make(kernel, variance=variance, length_scale=length_scale)
    realised = np.empty((len(seeds), len(rounds)))
    for i, seed in enumerate(seeds):
        world = environments.make(
            "ageing",
            kernel=kernel,
            n_arms=n_arms,
            n_centres=n_centres,
            variance=variance,
            length_scale=length_scale,
            norm_bound=norm_bound,
            rng=streams.generator(STREAM, seed, "environment"),
        )
        f, prior = world.mean_rewards(1), Prior.of(world.arms, k)
        rng = streams.generator("information_gain", kernel, seed, "policy")
        noise = streams.generator("information_gain", kernel, seed, "noise")
        engine = posterior.make(prior, noise_variance, horizon=horizon)
        gains = np.empty(horizon)
        for t in range(horizon):
            width = information_width(norm_bound, delta, engine.log_det)
            scores = engine.mean + width * np.sqrt(engine.variance)
            arm = best_arm(scores) if t else random_best_arm(scores, rng)
            engine.observe(arm, f[arm] + np.sqrt(noise_variance) * noise.standard_normal())
            gains[t] = 0.5 * engine.log_det
        realised[i] = gains[rounds - 1]
    greedy = schedules.information_gains(prior, noise_variance, rounds)
    return xr.Dataset(
        {"greedy": ("round", greedy), "realised": (("seed", "round"), realised)},
        coords={"round": rounds},
    )


def uses(**parameters) -> tuple[str, ...]:
    """The environment, which is loaded by name."""
    return ("tvgp.environments.ageing",)
