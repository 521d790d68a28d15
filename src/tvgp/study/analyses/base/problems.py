"""Problems of the study without data, by name, with a kernel that policies receive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from tvgp import environments, kernels, streams
from tvgp.simulate import reward_table
from tvgp.study.run.player import Player

NOISE_STD = 0.1


@dataclass(frozen=True)
class Problem:
    """An environment, and the squared exponential that policies receive."""

    environment: str
    values: Mapping[str, Any] = field(default_factory=dict)
    variance: float = 0.5
    length_scale: float = 3.0


# 201 arms on [-50, 50] where not said otherwise
PROBLEMS: Mapping[str, Problem] = MappingProxyType(
    {
        "rkhs_sine": Problem("rkhs_sine", {"n_arms": 201}),
        "moving_bump": Problem("moving_bump", {"n_arms": 201}),
        "drift": Problem("drift", {"n_arms": 201, "alpha": 1.0, "step": NOISE_STD}),
        "draws": Problem("wiener", {"n_arms": 201}),
        "jumps": Problem("abrupt", {"n_arms": 201, "change": "draw", "changes": 4}),
        "static": Problem("abrupt", {"changes": 0}),
        "sign_flip": Problem("abrupt", {"change": "sign"}),
        "switch": Problem("drift", {"n_arms": 201, "alpha": 0.5, "later_alpha": 1.5, "step": NOISE_STD}),
        "parabola": Problem("moving_parabola", {}, 14.7, 1.8),
        "orbit": Problem("marchant", {}, 0.1, 0.5),
    }
)


def check(name: str) -> Problem:
    """The problem of a name. ValueError for an unknown one."""
    if name not in PROBLEMS:
        raise ValueError(f"problem is {name!r}, expected {', '.join(PROBLEMS)}")
    return PROBLEMS[name]


def open_problem(analysis: str, name: str, horizon: int, seed: int) -> tuple[Player, np.ndarray]:
    """A player of a seed's problem and the table of its rewards, (horizon, arms).

    Policies have the mean of f_1 as their prior mean, the level that a fit would give, and the variation
    budget. ValueError for an unknown problem.
    """
    problem = check(name)
    accepted = environments.parameters(problem.environment)
    given: dict[str, Any] = {"horizon": horizon, "noise_std": NOISE_STD}
    given["rng"] = streams.generator(analysis, name, seed, "environment")
    given = {key: value for key, value in given.items() if key in accepted}
    environment = environments.make(problem.environment, **problem.values, **given)
    table = reward_table(environment, horizon)
    kernel = kernels.make("se", variance=problem.variance, length_scale=problem.length_scale)
    known = {
        "prior_mean": float(table[0].mean()),
        "variation_budget": environment.variation_budget(horizon, kernel.variance),
    }
    return Player(environment, kernel, NOISE_STD**2, horizon, (analysis, name, horizon, seed), known), table


def random_regret(table: np.ndarray) -> float:
    """Regret per round of uniformly random play, from f (round, arm)."""
    return float((table.max(axis=1) - table.mean(axis=1)).mean())
