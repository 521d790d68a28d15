"""Batch Thompson sampling on a box: Shekel, Ackley and Hartmann (Vakili21's published version).

Every method has the same initial points and, evaluation by evaluation, the same noise.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import xarray as xr

from tvgp import environments, kernels, policies, streams
from tvgp.continuous import policies as point_policies
from tvgp.continuous.simulate import OnCandidates, initial_points, simulate_continuous
from tvgp.contracts import PointPolicy
from tvgp.environments.base.spread import spread_points
from tvgp.environments.continuous_optimisation import ContinuousOptimisation


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The policy and the environment."""
    kind = "policies" if method == "gp_ts" else "continuous.policies"
    return f"tvgp.{kind}.{method}", "tvgp.environments.continuous_optimisation"


def run(
    seeds: list[int],
    function: str,
    method: str,
    initial: int,
    rounds: int,
    batch: int,
    size: int = 100,
    features: int = 1000,
    candidates: int = 1000,
) -> xr.Dataset:
    """simple_regret (seed, evaluation): max f minus the best f evaluated so far, without noise;
    regret (seed, evaluation): max f - f(x) of each evaluation.

    method: an algorithm of `tvgp.continuous.policies`, given size and features if it has them, or
    gp_ts: exact Thompson sampling on the initial points and `candidates` evenly spread points, with a
    fixed kernel (variance of the initial rewards, length-scale 0.2 sqrt(d), the centre of the prior
    with which s_gp_ts fits).
    """
    simple, regret = [], []
    for seed in seeds:
        names = ("continuous_thompson", function, seed)
        made = environments.make("continuous_optimisation", function=function)
        environment = cast(ContinuousOptimisation, made)
        d, tau = environment.domain.shape[1], environment.noise_std**2
        points = initial_points(environment, initial, streams.generator(*names, "initial"))
        kernel = kernels.make("se", variance=1.0, length_scale=0.2 * np.sqrt(d))
        if method == "gp_ts":
            first = streams.generator(*names, "noise").standard_normal(initial)
            y = environment.mean_reward_at(points) + environment.noise_std * first
            arms = np.vstack([points, spread_points(candidates, d)])
            kernel = kernel.with_parameters(variance=max(float(y.var()), tau))
            own: dict[str, Any] = {"noise_variance": tau, "prior_mean": float(y.mean())}
            exact = policies.make("gp_ts", arms=arms, kernel=kernel, **own)
            policy: PointPolicy = OnCandidates(exact, arms)
        else:
            given: dict[str, Any] = {"size": size, "features": features}
            known = point_policies.parameters(method)
            policy = point_policies.make(
                method,
                domain=environment.domain,
                kernel=kernel,
                noise_variance=tau,
                **{key: value for key, value in given.items() if key in known},
            )
        result = simulate_continuous(
            policy,
            environment,
            rounds,
            batch,
            rng=streams.generator(*names, "policy", method),
            noise=streams.generator(*names, "noise"),
            initial=points,
        )
        simple.append(result.simple_regret)
        regret.append(result.regret)
    return xr.Dataset(
        {
            "simple_regret": (("seed", "evaluation"), np.array(simple)),
            "regret": (("seed", "evaluation"), np.array(regret)),
        },
        coords={"evaluation": np.arange(1, len(simple[0]) + 1, dtype=np.int32)},
    )
