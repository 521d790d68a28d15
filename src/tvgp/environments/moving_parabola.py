"""A parabola that moves with a ripple, freezes and jumps (Brunzema's thesis on UI-TVBO).

    g(x, t) = a_1 (a_2 x + a_3 + a_4 t)^2 + 2 a_2 x sin(a_5 t) - cos(a_5 t)^2 + b,  f_t = -g(x, t)
    a = (4, 0.25, -0.5, -0.01, 0.1),  b = 5,  x in [-5, 9]

The thesis minimises g, in 300 rounds: g(x, 50) from t = 140 to 225, g(x, -50) from t = 226 on. Our
source, its published text, does not state the noise.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment


def make(n_arms: int = 141, noise_std: float = 0.1, expert_noise_std: float | None = None) -> MovingParabola:
    """n_arms equispaced points of [-5, 9]; noise in reward units."""
    return MovingParabola(n_arms, noise_std, expert_noise_std)


class MovingParabola(Environment):
    """Deterministic: seeds differ only in noise and the policy's draws."""

    def __init__(self, n_arms: int, noise_std: float, expert_noise_std: float | None) -> None:
        self.arms = np.linspace(-5.0, 9.0, n_arms)[:, None]
        self.noise_std = noise_std
        self.expert_noise_std = noise_std if expert_noise_std is None else expert_noise_std

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,)."""
        moment = t if t < 140 else 50 if t <= 225 else -50
        x, angle = 0.25 * self.arms[:, 0], 0.1 * moment
        return -(4.0 * (x - 0.5 - 0.01 * moment) ** 2 + 2.0 * x * np.sin(angle) - np.cos(angle) ** 2 + 5.0)
