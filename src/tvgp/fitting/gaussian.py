"""The density of jointly normal values, and its derivative in each entry of their covariance matrix.

Symmetric matrices are given by their diagonal, (n,), and the entries of their n (n - 1) / 2 pairs, in the
order of `scipy.spatial.distance.pdist`: sums over pairs cost half of sums over matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack
from scipy.spatial.distance import squareform


@dataclass(frozen=True)
class Density:
    """log N(y; 0, A), A^-1 y, and Q = A^-1 y y' A^-1 - A^-1 as diagonal and pairs."""

    value: float
    weights: np.ndarray
    diagonal: np.ndarray
    pairs: np.ndarray

    def slope(self, diagonal: np.ndarray | float, pairs: np.ndarray | None = None) -> float:
        """The derivative in a parameter of A, tr(Q dA) / 2 (Rasmussen & Williams 2006, eq. 5.9).

        diagonal: that of dA, (n,) or one number; pairs: its other entries, None where all are 0.
        """
        on = 0.5 * np.sum(self.diagonal * diagonal)
        return float(on if pairs is None else on + self.pairs @ pairs)


def log_density(values: np.ndarray, diagonal: np.ndarray, pairs: np.ndarray) -> float:
    """log N(y; 0, A) = -1/2 y'A^-1 y - 1/2 log|A| - n/2 log 2 pi, for values y (n,).

    LinAlgError where A is not numerically positive definite.
    """
    return _factorised(values, diagonal, pairs)[0]


def density(values: np.ndarray, diagonal: np.ndarray, pairs: np.ndarray) -> Density:
    """`log_density`, with what its derivatives need."""
    value, weights, L = _factorised(values, diagonal, pairs)
    inverse, _ = lapack.dpotri(L, lower=1, overwrite_c=1)
    Q = blas.dsyr(-1.0, weights, lower=1, a=inverse, overwrite_a=1).T  # one triangle of -Q
    return Density(value, weights, -Q.diagonal(), -squareform(Q, checks=False))


def _factorised(
    values: np.ndarray, diagonal: np.ndarray, pairs: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """log N(y; 0, A), A^-1 y and the lower factor of A."""
    n = len(values)
    A = squareform(pairs, checks=False)
    A.flat[:: n + 1] = diagonal
    L, failed = lapack.dpotrf(
        A.T, lower=1, clean=0, overwrite_a=1
    )  # in place, the transpose is in column order
    if failed:
        raise np.linalg.LinAlgError
    weights, _ = lapack.dpotrs(L, values, lower=1)
    value = -0.5 * values @ weights - np.log(L.diagonal()).sum() - 0.5 * n * np.log(2 * np.pi)
    return float(value), weights, L
