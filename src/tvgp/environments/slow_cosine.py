"""The slowly varying cosine of Hong, Li & Tewari 2023, on the unit sphere.

    f_t(x) = 0.8 cos(3 x' theta + phi(t)),  phi = 0 until round 1,000 of 10,000, then linear to pi at 3,000,
    constant to 4,000, linear to 2 pi at 6,000, constant after

with 100 arms and theta uniform on the unit sphere of R^10. Another horizon stretches phi.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment
from tvgp.environments.base.drawn import sphere

_ROUNDS = np.array([0.1, 0.3, 0.4, 0.6])  # corners of phi, as shares of the horizon
_PHASES = np.pi * np.array([0.0, 1.0, 1.0, 2.0])


def make(
    n_arms: int = 100,
    dimension: int = 10,
    horizon: int = 10000,
    amplitude: float = 0.8,
    frequency: float = 3.0,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> SlowCosine:
    """n_arms points of the unit sphere in R^dimension. ValueError without a stream."""
    if rng is None:
        raise ValueError("slow_cosine: needs a random stream for its arms")
    arms, theta = sphere(n_arms, dimension, rng), sphere(1, dimension, rng)[0]
    return SlowCosine(arms, frequency * (arms @ theta), horizon, amplitude, noise_std)


class SlowCosine(Environment):
    """One draw of arms and theta."""

    variation_norm = "sup"

    def __init__(
        self, arms: np.ndarray, angles: np.ndarray, horizon: int, amplitude: float, noise_std: float
    ) -> None:
        self.arms = arms
        self.noise_std = self.expert_noise_std = noise_std
        self._angles, self._horizon, self._amplitude = angles, horizon, amplitude

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,)."""
        phase = np.interp(t, _ROUNDS * self._horizon, _PHASES)
        return self._amplitude * np.cos(self._angles + phase)
