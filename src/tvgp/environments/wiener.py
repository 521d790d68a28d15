"""A Gaussian process that performs a Wiener process in time: draws of the model of UI-TVBO.

    f_1 = g_1,  f_{t+1} = f_t + sqrt(q) g_{t+1},  g_t i.i.d. GP(0, k)

(Brunzema, von Rohr & Trimpe 2022), on equispaced arms of a line.
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.contracts import Environment, require_horizon

# Largest number of values drawn, 2 GiB.
_LARGEST_TABLE = 2**28


def make(
    q: float = 0.03,
    n_arms: int = 201,
    kernel: str = "se",
    variance: float = 0.5,
    length_scale: float = 3.0,
    horizon: int = 300,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> Wiener:
    """n_arms equispaced points of [-50, 50]; q: variance added per round, relative to the first.

    ValueError for a negative q, for draws of more than 2 GiB, and without a stream.
    """
    require_horizon("wiener", horizon, _LARGEST_TABLE // n_arms)
    if not q >= 0.0:
        raise ValueError(f"wiener: q is {q}, must be 0 or more")
    if rng is None:
        raise ValueError("wiener: needs a random stream for its draws")
    arms = np.linspace(-50.0, 50.0, n_arms)[:, None]
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    values, vectors = np.linalg.eigh(prior(arms, arms))
    steps = rng.standard_normal((horizon, n_arms)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    steps[1:] *= np.sqrt(q)
    return Wiener(arms, np.cumsum(steps, axis=0), noise_std)


class Wiener(Environment):
    """One realisation; `mean_rewards` reads a row of the drawn table."""

    def __init__(self, arms: np.ndarray, table: np.ndarray, noise_std: float) -> None:
        self.arms = arms
        self.noise_std = self.expert_noise_std = noise_std
        self._table = table

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,). IndexError beyond the horizon drawn."""
        return self._table[t - 1]
