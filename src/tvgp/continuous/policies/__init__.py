"""Bandit algorithms on a box, one file each, known everywhere by its file name.

Each module defines a frozen dataclass `Parameters` and `make(domain, kernel, noise_variance,
parameters)`. Policies for arms play on a box through `tvgp.continuous.simulate.OnCandidates`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tvgp import plugins
from tvgp.continuous.box import Domain
from tvgp.contracts import PointPolicy
from tvgp.kernels import Kernel

_registry = plugins.Registry(__name__, "policy")
names, parameters = _registry.names, _registry.parameters


def make(
    name: str, *, domain: np.ndarray | Domain, kernel: Kernel, noise_variance: float, **values: Any
) -> PointPolicy:
    """A fresh policy on a domain, or on the box with corners `domain` (2, d).

    ValueError for an unknown algorithm or parameter.
    """
    parameters = _registry.fill(name, values)
    if not (np.isfinite(noise_variance) and noise_variance > 0):
        raise ValueError(f"policy {name}: noise variance is {noise_variance}, must be positive")
    return _registry.load(name).make(Domain.of(domain), kernel, noise_variance, parameters)
