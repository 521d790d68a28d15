"""Regret of Thompson sampling against the number of inducing variables (Vakili21, section 5.4).

Functions in the RKHS of the squared exponential on the grid of Janz20's environment: every part
has the same functions and the same noise, so parts can be compared run by run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments, kernels, policies, streams
from tvgp.posterior import inducing
from tvgp.study.run.simulate_named import simulate_named

_KERNEL, _LENGTH_SCALE = "se", 0.2


def uses(algorithm: str, **parameters: Any) -> tuple[str, ...]:
    """The policy and the environment."""
    return (f"tvgp.policies.{algorithm}", "tvgp.environments.matern_rkhs")


def run(
    seeds: list[int],
    algorithm: str,
    d: int,
    n_side: int,
    horizon: int,
    variables: str = "points",
    sizes: Sequence[int | str] = (),
    features: int | str | None = None,
    clock: bool = False,
) -> xr.Dataset:
    """regret (seed, size): R_T; uniform_regret (seed): expected regret of random play; inducing
    (size): m in use, 0 for exact sampling; rule: m by the paper's rule.

    algorithm: gp_ts, whose only size is "exact", or s_gp_ts with inducing `variables`, `sizes` m
    (numbers or "rule") and `features` M, None for its default. clock: whether to return the wall
    time of a run, seconds (seed, size), instead of regret (for an analysis marked as timed).
    """
    k = kernels.make(_KERNEL, length_scale=_LENGTH_SCALE)
    rule = inducing.rule_sizes(k, d, horizon, variables)[0]
    exact = algorithm == "gp_ts"
    sizes = ["exact"] if exact else list(sizes)
    regret, seconds = np.empty((len(seeds), len(sizes))), np.empty((len(seeds), len(sizes)))
    uniform = np.empty(len(seeds))
    for i, seed in enumerate(seeds):
        names = ("thompson_regret", _KERNEL, d, n_side, seed)
        environment = environments.make(
            "matern_rkhs",
            d=d,
            n_side=n_side,
            kernel=_KERNEL,
            length_scale=_LENGTH_SCALE,
            rng=streams.generator(*names, "environment"),
        )
        f, arms = environment.mean_rewards(1), environment.arms
        uniform[i] = horizon * (f.max() - f.mean())
        for j, size in enumerate(sizes):
            own: dict[str, Any] = {} if exact else {"variables": variables, "size": size}
            own |= {} if features is None else {"features": features}
            started = time.perf_counter()
            policy = policies.make(
                algorithm,
                arms=arms,
                kernel=k,
                noise_variance=environment.noise_std**2,
                horizon=horizon,
                **own,
            )
            words = [algorithm, *(f"{name}={value}" for name, value in sorted(own.items()))]
            regret[i, j] = simulate_named(policy, environment, horizon, names, *words).regret.sum()
            seconds[i, j] = time.perf_counter() - started
    numbers = [0 if exact else rule if size == "rule" else int(size) for size in sizes]
    measured = (
        {"seconds": (("seed", "size"), seconds)}
        if clock
        else {"regret": (("seed", "size"), regret), "uniform_regret": ("seed", uniform)}
    )
    return xr.Dataset(
        measured | {"inducing": ("size", np.array(numbers, dtype=float)), "rule": ((), rule)},
        coords={"size": ("size", np.array([str(size) for size in sizes], dtype=object))},
    )
