"""Empirical coverage of |mu_{t-1}(x) - f_t(x)| <= width_t sigma_{t-1}(x), one policy per part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies
from tvgp.contracts import Environment, Policy
from tvgp.environments import rkhs_sine
from tvgp.study.run.simulate_named import simulate_named

_NOISE_VARIANCE = 0.01

# Slack for rounding.
_SLACK = 1e-9


def uses(algorithm: str, **_) -> tuple[str, ...]:
    """The policy's module."""
    return (f"tvgp.policies.{algorithm}",)


def run(
    seeds: Sequence[int],
    algorithm: str = "gp_ucb",
    horizon: int = 500,
    version: str | None = None,
) -> xr.Dataset:
    """On the functions of Mauduit25b, Fig. 2, with the recommended settings.

    covered (seed, round): share of the arms whose reward lies within the width; everywhere
    (seed, round): whether all do; played (seed, round): whether the arm played does; width (seed,
    round): the factor of sigma. Round 1 is omitted, as there are no data yet.
    """
    known: dict[str, Any] = {
        "alpha": 1.0,
        "delta": 0.05,
        "epsilon": 0.03,
        "horizon": horizon,
        "norm_bound": 5.0,
        "variation_budget": rkhs_sine.make().variation(horizon),
    }
    own = {name: value for name, value in known.items() if name in policies.parameters(algorithm)}
    if version is not None:
        own["version"] = version
    rows = []
    for seed in seeds:
        environment = rkhs_sine.make()
        policy = policies.make(
            algorithm,
            arms=environment.arms,
            kernel=environment.kernel,
            noise_variance=_NOISE_VARIANCE,
            **own,
        )
        names = ("coverage", "1", seed)
        rows.append(_covered(policy, environment, horizon, names, algorithm))
    values = np.stack(rows)
    return xr.Dataset(
        {
            name: (("seed", "round"), values[:, :, i])
            for i, name in enumerate(("covered", "everywhere", "played", "width"))
        },
        coords={"round": np.arange(2, horizon + 1)},
    )


def _covered(
    policy: Policy, environment: Environment, horizon: int, names: tuple, algorithm: str
) -> np.ndarray:
    """The four quantities of `run` in rounds 2, ..., horizon of one run, (horizon - 1, 4)."""
    bands: list[tuple[np.ndarray, np.ndarray, float]] = []
    run = simulate_named(
        policy,
        environment,
        horizon,
        names,
        algorithm,
        on_round=lambda ended: bands.append(policy.confidence_band(ended.t + 1)),
    )
    rows = []
    for t, (mean, half, width) in enumerate(bands[:-1], start=2):
        inside = np.abs(mean - environment.mean_rewards(t)) <= half * (1 + _SLACK)
        rows.append((inside.mean(), float(inside.all()), float(inside[run.arm[t - 1]]), width))
    return np.array(rows)
