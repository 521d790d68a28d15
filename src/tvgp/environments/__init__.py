"""Families of reward functions, one file each; the file name is the name everywhere.

A module offers `make(**parameters)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from tvgp import plugins
from tvgp.contracts import Environment

# Parameters of the same name mean the same everywhere, and what they may be at least.
_LEAST = {
    "n_arms": 1,
    "n_centres": 1,
    "n_side": 2,
    "noise_std": 0,
    "expert_noise_std": 0,
    "noise_variance": 0,
    "noise_bound": 0,
    "norm_bound": 0,
}

Name = Literal[
    "ageing",
    "continuous_optimisation",
    "drift",
    "field",
    "global_optimisation",
    "gp_markov",
    "matern_rkhs",
    "moving_bump",
    "rkhs_sine",
]


def names() -> list[str]:
    """Names of all environments."""
    return plugins.names(__name__)


@cache
def parameters(name: str) -> frozenset[str]:
    """Parameter names that environment `name` accepts."""
    return frozenset(inspect.signature(declaration(name)).parameters)


def declaration(name: str) -> Callable[..., Environment]:
    """The function that declares the parameters of environment `name`, and makes one."""
    return plugins.load(__name__, name).make


def make(name: Name | str, **values: Any) -> Environment:
    """An environment. ValueError for an unknown name or parameter, and for a size below its least
    or a negative spread of the noise."""
    unknown = set(values) - parameters(name)
    if unknown:
        raise ValueError(
            f"environment {name} has no parameter {sorted(unknown)[0]!r};"
            f" it has: {', '.join(sorted(parameters(name)))}"
        )
    for key, value in values.items():
        if key in _LEAST and value is not None and not value >= _LEAST[key]:
            raise ValueError(f"environment {name}: {key} is {value}, must be {_LEAST[key]} or more")
    return plugins.load(__name__, name).make(**values)
