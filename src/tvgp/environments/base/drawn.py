"""Draws of a Gaussian process, and rewards read from a drawn table."""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment
from tvgp.kernels import Kernel

# Largest number of values drawn, 2 GiB.
LARGEST_TABLE = 2**28


class Drawn(Environment):
    """One realisation; `mean_rewards` reads a row of the drawn table (rounds, n_arms). Sample paths of a
    prior have no finite RKHS norm, hence no path length in that norm."""

    def __init__(self, arms: np.ndarray, table: np.ndarray, noise_std: float) -> None:
        self.arms = arms
        self.noise_std = self.expert_noise_std = noise_std
        self._table = table

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,). IndexError beyond the horizon drawn."""
        return self._table[t - 1]


def line(n_arms: int) -> np.ndarray:
    """n_arms equispaced points of [-50, 50], (n_arms, 1)."""
    return np.linspace(-50.0, 50.0, n_arms)[:, None]


def sphere(n_arms: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """n_arms independent uniform points of the unit sphere in R^d, (n_arms, d)."""
    points = rng.standard_normal((n_arms, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def prior_draws(prior: Kernel, arms: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """n independent draws of GP(0, k) at arms (n_arms, d), (n, n_arms)."""
    # a root by eigenvalues needs no jitter where the matrix is singular in float64
    values, vectors = np.linalg.eigh(prior(arms, arms))
    return rng.standard_normal((n, len(arms))) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
