"""Thompson sampling on a box: x_t maximises one draw from the posterior of f_t (`Exact.path`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Drift, Exact, forgetting
from tvgp.continuous.policies.base.policy import ModelPolicy, PointParameters
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import require

LEARNS = ("epsilon",)


@dataclass(frozen=True)
class Parameters(PointParameters):
    """epsilon: rate of change per round, as of TV-GP-UCB; 0 for a static f; scale: alpha, the factor of the
    draw's deviation from its mean; features: number of Fourier features of a draw."""

    epsilon: float = 0.0
    scale: float = 1.0
    features: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.epsilon < 1, "epsilon", self.epsilon, "from 0 to below 1")
        require(0 < self.scale < math.inf, "scale", self.scale, "positive")
        require(self.features >= 1, "features", self.features, "1 or more")


def drift(parameters: Parameters) -> Drift:
    """Forgetting at rate epsilon."""
    return forgetting(parameters.epsilon)


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> GPTS:
    """Thompson sampling. ValueError for a kernel that is not stationary."""
    kernel.frequencies(domain.d, 1, np.random.default_rng(0))
    return GPTS(domain, kernel, noise_variance, parameters, drift)


class GPTS(ModelPolicy):
    """Plays the maximum of a path."""

    _parameters: Parameters

    def _best(self, posterior: Exact, t: int, given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        path = posterior.path(self._parameters.scale, self._parameters.features, rng)

        def slope(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = path.value_and_gradient(x[None], np.zeros(1, dtype=np.intp))
            return float(value[0]), gradient[0]

        return self._maximum(posterior, lambda X: path.everywhere(X)[0], slope, given, rng)
