"""W-GP-UCB on a box: noise variances grow as gamma^-age (`tvgp.policies.w_gp_ucb`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Drift
from tvgp.continuous.policies.base.policy import UpperParameters, UpperPolicy
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import require

_LARGEST = 600.0  # logarithm of the growth, which float64 can hold

LEARNS = ("gamma",)


@dataclass(frozen=True)
class Parameters(UpperParameters):
    """gamma: discount in (0, 1]; weights: double or single."""

    gamma: float = 0.98
    weights: str = "double"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 < self.gamma <= 1, "gamma", self.gamma, "in (0, 1]")
        require(self.weights in ("double", "single"), "weights", self.weights, "double or single")


def drift(parameters: Parameters) -> Drift:
    """Discounting."""
    rate = -math.log(parameters.gamma)
    return Drift(growth=lambda ages: np.exp(np.minimum(rate * ages, _LARGEST)))


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> UpperPolicy:
    """W-GP-UCB."""
    double = parameters.weights == "double"
    return UpperPolicy(domain, kernel, noise_variance, parameters, drift, double)
