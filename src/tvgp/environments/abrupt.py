"""Draws of a Gaussian process that change abruptly and stay as they are in between.

The change is one of sign, as in Hong, Li & Tewari 2023 (f <- -f, on other arms), or to an independent
draw. All stretches without a change have the same length.
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.contracts import Environment


def make(
    change: str = "sign",
    changes: int = 1,
    horizon: int = 500,
    n_arms: int = 201,
    kernel: str = "se",
    variance: float = 0.5,
    length_scale: float = 3.0,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> Abrupt:
    """n_arms equispaced points of [-50, 50]; changes: their number within the horizon; change: sign or
    draw. ValueError for others, for more changes than fit, and without a stream."""
    if change not in ("sign", "draw"):
        raise ValueError(f"abrupt: change is {change!r}, expected sign or draw")
    if not 0 <= changes < horizon:
        raise ValueError(f"abrupt: {changes} changes, expected 0 to {horizon - 1} within {horizon} rounds")
    if rng is None:
        raise ValueError("abrupt: needs a random stream for its draws")
    arms = np.linspace(-50.0, 50.0, n_arms)[:, None]
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    values, vectors = np.linalg.eigh(prior(arms, arms))
    draws = rng.standard_normal((changes + 1, n_arms)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    if change == "sign":
        draws = draws[0] * (-1.0) ** np.arange(changes + 1)[:, None]
    return Abrupt(arms, draws, horizon, noise_std)


class Abrupt(Environment):
    """One realisation: the function of each stretch, (changes + 1, n_arms); the last one stays."""

    def __init__(self, arms: np.ndarray, draws: np.ndarray, horizon: int, noise_std: float) -> None:
        self.arms = arms
        self.noise_std = self.expert_noise_std = noise_std
        self._draws = draws
        self._horizon = horizon

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,)."""
        stretches = len(self._draws)
        return self._draws[min((t - 1) * stretches // self._horizon, stretches - 1)]
