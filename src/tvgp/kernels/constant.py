"""The constant kernel: a random constant function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.kernels.base import Kernel, check_variance


@dataclass(frozen=True)
class Constant(Kernel):
    """k(x, x') = M_k^2: as a factor over time, a function that does not change.

    ValueError unless the variance is positive.
    """

    variance: float = 1.0

    name = "constant"
    label = "constant"
    smoothness = np.inf

    def __post_init__(self) -> None:
        check_variance(self)

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(X, Y), (n, m)."""
        return np.full((len(X), len(Y)), float(self.variance))

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return np.full(len(X), float(self.variance))

    def frequencies(self, d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """All 0, (size, d): the spectral measure is one atom."""
        return np.zeros((size, d))

    def combination_gradient(self, X: np.ndarray, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """0, (n, d)."""
        return np.zeros(X.shape)
