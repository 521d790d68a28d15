"""Uniformly random points: the baseline."""

from __future__ import annotations

import numpy as np

from tvgp.continuous.box import Domain
from tvgp.kernels import Kernel
from tvgp.plugins import NoParameters


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: NoParameters) -> Uniform:
    """Random search."""
    return Uniform(domain.corners)


class Uniform:
    """Draws points without learning."""

    def __init__(self, domain: np.ndarray) -> None:
        self._domain = domain

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """Independent points, (batch, d)."""
        lower, upper = self._domain
        return rng.uniform(lower, upper, (batch, len(lower)))

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """Does nothing."""
