"""Bandit algorithms, one file each; the file name is the algorithm's name everywhere.

A module offers a frozen dataclass `Parameters` and `make(prior, noise_variance, parameters)`.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from tvgp import plugins
from tvgp.contracts import Policy
from tvgp.kernels import Kernel
from tvgp.posterior import Prior


def names() -> list[str]:
    """Names of all algorithms."""
    return plugins.names(__name__)


def parameters(name: str) -> set[str]:
    """Parameter names that algorithm `name` accepts."""
    return {field.name for field in fields(declaration(name))}


def declaration(name: str) -> type:
    """The dataclass that declares the parameters of algorithm `name`."""
    return plugins.load(__name__, name).Parameters


def make(name: str, *, arms: np.ndarray, kernel: Kernel, noise_variance: float, **values) -> Policy:
    """A fresh policy.

    arms: (n_arms, d) coordinates; kernel: prior covariance; noise_variance: that of an
    observation, in squared reward units; values: the algorithm's own parameters. ValueError for
    an unknown algorithm or parameter.
    """
    module = plugins.load(__name__, name)
    unknown = set(values) - parameters(name)
    if unknown:
        raise ValueError(
            f"policy {name} has no parameter {sorted(unknown)[0]!r};"
            f" it has: {', '.join(sorted(parameters(name)))}"
        )
    if not (np.isfinite(noise_variance) and noise_variance > 0):
        raise ValueError(f"policy {name}: noise variance is {noise_variance}, must be positive")
    return module.make(Prior.of(arms, kernel), noise_variance, module.Parameters(**values))
