"""Optimisers on a box whose rewards move: the same rounds and noise for all of them.

The problems are environments with a box (`tvgp.environments.base.moving_box`): sample paths that drift, test
functions whose last coordinate is time, a PID loop whose plant drifts. Contenders that are given kernel,
noise and drift play on paths alone, where these exist. `python -m benchmarks.boxes` plays other libraries on
the same draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments, kernels, policies, streams
from tvgp.continuous import policies as point_policies
from tvgp.continuous.simulate import OnCandidates, PointRun, simulate_continuous
from tvgp.contracts import PointPolicy
from tvgp.environments.base.moving_box import MovingBox
from tvgp.environments.drifting_paths import DriftingPaths


@dataclass(frozen=True)
class Contender:
    """A policy, its parameters given or learnt, on the box or on `arms` of its points."""

    policy: str
    learnt: bool = False
    arms: bool = False
    time_kernel: str | None = None


CONTENDERS: Mapping[str, Contender] = MappingProxyType(
    {
        "random": Contender("uniform"),
        "gp_given": Contender("gp_ucb"),
        "gp_learnt": Contender("gp_ucb", learnt=True),
        "tv_given": Contender("tv_gp_ucb"),
        "tv_learnt": Contender("tv_gp_ucb", learnt=True),
        "w_given": Contender("w_gp_ucb"),
        "w_learnt": Contender("w_gp_ucb", learnt=True),
        "st_learnt": Contender("st_gp_ucb", learnt=True, time_kernel="matern32"),
        "tv_given_arms": Contender("tv_gp_ucb", arms=True),
        "tv_learnt_arms": Contender("tv_gp_ucb", learnt=True, arms=True),
        "st_learnt_arms": Contender("st_gp_ucb", learnt=True, arms=True, time_kernel="matern32"),
    }
)


def uses(environment: str, contenders: Sequence[str], **_: Any) -> tuple[str, ...]:
    """The modules of the environment, of the policies and, on arms, of their learning, loaded by name."""
    chosen = [_contender(name) for name in contenders]
    names = [f"{'' if each.arms else 'continuous.'}policies.{each.policy}" for each in chosen]
    names += ["policies.base.learning" for each in chosen if each.arms and each.learnt]
    return (f"tvgp.environments.{environment}", *(f"tvgp.{name}" for name in dict.fromkeys(names)))


def run(
    seeds: Sequence[int],
    environment: str,
    contenders: Sequence[str],
    horizon: int = 200,
    n_arms: int = 500,
    dimension: int | None = None,
    length_scale: float | None = None,
    epsilon: float | None = None,
    function: str | None = None,
    unit_time: bool | None = None,
) -> xr.Dataset:
    """regret (contender, seed, round): max f_t - f_t(x_t), the maximum over the box, as far as the
    environment's search finds it.

    n_arms: points for contenders with arms; dimension, length_scale, epsilon, function, unit_time: of the
    environment, None for its own. ValueError for an unknown contender, and for one that must be given what
    the environment has not."""
    given = {
        "n_arms": n_arms,
        "dimension": dimension,
        "length_scale": length_scale,
        "epsilon": epsilon,
        "function": function,
        "unit_time": unit_time,
    }
    found = np.empty((len(contenders), len(seeds), horizon))
    for s, seed in enumerate(seeds):
        box = opened(environment, horizon, seed, given)
        for c, name in enumerate(contenders):
            found[c, s] = played(player(name, box), name, box, horizon, seed).regret
    return xr.Dataset(
        {"regret": (("contender", "seed", "round"), found)},
        coords={"contender": list(contenders), "round": np.arange(1, horizon + 1, dtype=np.int32)},
    )


def opened(name: str, horizon: int, seed: int, values: Mapping[str, Any]) -> MovingBox:
    """The environment of a seed. values: its parameters, None for its own. ValueError unless it is a box that
    moves."""
    known = {key: value for key, value in values.items() if value is not None}
    if "rng" in environments.parameters(name):
        known["rng"] = streams.generator("drifting_boxes", name, seed, "environment")
    made = environments.make(name, horizon=horizon, **known)
    if not isinstance(made, MovingBox):
        raise ValueError(f"environment {name} is not a moving box")
    return made


def player(name: str, box: MovingBox) -> PointPolicy:
    """A fresh contender for an environment. ValueError as `run`."""
    chosen = _contender(name)
    values: dict[str, Any] = {"time_kernel": chosen.time_kernel} if chosen.time_kernel else {}
    if chosen.learnt:
        values |= {"parameters": "learn"}
    elif chosen.policy != "uniform" and not isinstance(box, DriftingPaths):
        raise ValueError(f"contender {name} must be given the kernel, which {type(box).__name__} has not")
    if isinstance(box, DriftingPaths) and not chosen.learnt and chosen.policy == "tv_gp_ucb":
        values["epsilon"] = box.epsilon
    kernel = box.kernel if isinstance(box, DriftingPaths) else kernels.make("matern52")
    noise = box.noise_std**2 or 1e-6 * kernel.variance
    if not chosen.arms:
        return point_policies.make(
            chosen.policy, domain=box.domain, kernel=kernel, noise_variance=noise, **values
        )
    values |= {"width": "logarithmic"}  # as the policies on a box
    policy = policies.make(chosen.policy, arms=box.arms, kernel=kernel, noise_variance=noise, **values)
    return OnCandidates(policy, box.arms)


def played(policy: PointPolicy, name: str, box: MovingBox, horizon: int, seed: int) -> PointRun:
    """One run. name: of the contender, which draws from a stream of its own."""
    names = ("drifting_boxes", seed)
    return simulate_continuous(
        policy,
        box,
        horizon,
        1,
        rng=streams.generator(*names, "policy", name),
        noise=streams.generator(*names, "noise"),
        initial=box.domain[:0],
    )


def _contender(name: str) -> Contender:
    if name not in CONTENDERS:
        raise ValueError(f"contenders has {name!r}, expected {', '.join(CONTENDERS)}")
    return CONTENDERS[name]
