"""Bandit algorithms, one file each; the file name is the algorithm's name everywhere.

A module offers a frozen dataclass `Parameters` and `make(prior, noise_variance, parameters)`.
"""

from __future__ import annotations

import numpy as np

from tvgp import plugins
from tvgp.contracts import Policy
from tvgp.kernels import Kernel
from tvgp.posterior import Prior

_registry = plugins.Registry(__name__, "policy")
names, declaration, parameters = _registry.names, _registry.declaration, _registry.parameters


def make(name: str, *, arms: np.ndarray, kernel: Kernel, noise_variance: float, **values) -> Policy:
    """A fresh policy.

    arms: (n_arms, d) coordinates; kernel: prior covariance; noise_variance: that of an
    observation, in squared reward units; values: the algorithm's own parameters. ValueError for
    an unknown algorithm or parameter.
    """
    parameters = _registry.fill(name, values)
    if not (np.isfinite(noise_variance) and noise_variance > 0):
        raise ValueError(f"policy {name}: noise variance is {noise_variance}, must be positive")
    return _registry.load(name).make(Prior.of(arms, kernel), noise_variance, parameters)
