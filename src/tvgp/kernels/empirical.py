"""The empirical kernel: a covariance matrix over a finite set of arms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tvgp.kernels.base import Kernel


@dataclass(frozen=True)
class Empirical(Kernel):
    """k(i, j) = C_ij, a covariance matrix C (n, n) over the arms 0..n-1.

    Arms are indices: coordinates are (m, 1) with values 0..n-1. C must be symmetric and positive
    semi-definite to rounding; it may be singular. ValueError otherwise, and for coordinates that are
    not indices.
    """

    covariance: tuple[tuple[float, ...], ...]

    name = "empirical"
    label = "empirical covariance"

    def __post_init__(self) -> None:
        try:
            matrix = np.array(self.covariance, dtype=float)
        except (TypeError, ValueError):
            raise ValueError("kernel empirical: covariance is not a matrix of numbers") from None
        if matrix.ndim != 2 or not len(matrix) or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"kernel empirical: covariance has shape {matrix.shape}, expected (n, n)")
        if not np.isfinite(matrix).all():
            row, column = np.argwhere(~np.isfinite(matrix))[0]
            raise ValueError(f"kernel empirical: covariance[{row}, {column}] is {matrix[row, column]}")
        largest = np.abs(matrix).max()
        if np.abs(matrix - matrix.T).max() > 1e-12 * largest:
            raise ValueError("kernel empirical: covariance is not symmetric")
        diagonal = np.diagonal(matrix)
        if diagonal.min() <= 0:
            arm = int(diagonal.argmin())
            raise ValueError(f"kernel empirical: variance of arm {arm} is {diagonal[arm]}, not positive")
        smallest = np.linalg.eigvalsh(matrix)[0]
        if smallest < -1e-10 * len(matrix) * largest:
            raise ValueError(
                f"kernel empirical: covariance is not positive semi-definite, eigenvalue {smallest:.3g}"
            )
        # tuples are hashable; JSON round trips compare equal
        object.__setattr__(self, "covariance", tuple(map(tuple, matrix.tolist())))

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """k(X, Y), (n, m)."""
        return self._matrix[np.ix_(self._indices(X), self._indices(Y))]

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """k(x, x) for each row of X, shape (n,)."""
        return np.diagonal(self._matrix)[self._indices(X)].copy()

    @property
    def variance(self) -> float:
        """M_k^2, the largest k(x, x)."""
        return float(np.diagonal(self._matrix).max())

    @cached_property
    def _matrix(self) -> np.ndarray:
        return np.array(self.covariance)

    def _indices(self, X: np.ndarray) -> np.ndarray:
        X = np.asarray(X, dtype=float)
        n = len(self.covariance)
        if X.ndim != 2 or X.shape[1] != 1:
            raise ValueError(f"kernel empirical: arms have shape {X.shape}, expected (m, 1) indices")
        index = X[:, 0].astype(int)
        wrong = (index != X[:, 0]) | (index < 0) | (index >= n)
        if wrong.any():
            raise ValueError(
                f"kernel empirical: {X[wrong.argmax(), 0]:g} is not the index of one of {n} arms"
            )
        return index
