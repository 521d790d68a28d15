"""Families of reward functions, one file each, known everywhere by its file name.

Each module defines `make(**parameters)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tvgp import plugins
from tvgp.contracts import Environment

# Lower limits of parameters, which mean the same in every environment.
_LEAST = {
    "n_arms": 1,
    "n_centres": 1,
    "n_side": 2,
    "dimension": 1,
    "noise_std": 0,
    "expert_noise_std": 0,
    "noise_variance": 0,
    "noise_bound": 0,
    "norm_bound": 0,
}

_registry = plugins.Registry(__name__, "environment", declares="make")
names, declaration, parameters = _registry.names, _registry.declaration, _registry.parameters


def make(name: str, **values: Any) -> Environment:
    """An environment. ValueError for an unknown name or parameter, and for a size or a standard
    deviation of the noise below its lower limit.

    >>> environment = make("moving_bump", n_arms=11)
    >>> environment
    MovingBump(arms=11x1, noise_std=0.1, expert_noise_std=0.1)
    >>> environment.mean_rewards(1)[4:7].round(2)
    array([1.3 , 2.99, 1.3 ])
    """
    _registry.check(name, values)
    for key, value in values.items():
        least = _LEAST.get(key)
        if not (
            least is None or value is None or isinstance(value, int | float | np.number) and value >= least
        ):
            raise ValueError(f"environment {name}: {key} is {value!r}, must be {least} or more")
    return _registry.load(name).make(**values)
