"""The density of jointly normal values, and its derivative in each entry of their covariance matrix.

Symmetric matrices are packed: n (n + 1) / 2 entries, in an order in which LAPACK works on whole blocks of a
triangle (rectangular full packed; Gustavson et al. 2010). Sums over them cost half of sums over matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import lapack

_ORDER = {"transr": "T", "uplo": "U"}  # the fastest of four with OpenBLAS, by a twentieth


def packed(matrix: np.ndarray) -> np.ndarray:
    """A symmetric matrix (n, n), packed, (n (n + 1) / 2,)."""
    return lapack.dtrttf(matrix, **_ORDER)[0]


def diagonal(n: int) -> np.ndarray:
    """Where the diagonal of a packed matrix is, (n,), in its own order."""
    return np.flatnonzero(packed(np.eye(n)))


@dataclass(frozen=True)
class Density:
    """log N(y; 0, A) and A^-1 y; `noise_slope`: the derivative in s of A + s I."""

    weights: np.ndarray
    noise_slope: float
    _values: np.ndarray
    _pivots: np.ndarray
    _pull: np.ndarray

    @property
    def value(self) -> float:
        """log N(y; 0, A) = -1/2 y'A^-1 y - 1/2 log|A| - n/2 log 2 pi."""
        return _value(self._values, self.weights, self._pivots)

    def slope(self, change: np.ndarray) -> float:
        """The derivative in a parameter of A, tr((A^-1 y y' A^-1 - A^-1) dA) / 2, for dA, packed (Rasmussen &
        Williams 2006, eq. 5.9)."""
        return float(self._pull.dot(change))


def log_density(values: np.ndarray, covariance: np.ndarray, on: np.ndarray) -> float:
    """log N(y; 0, A) for values y (n,) and A, packed.

    on: `diagonal(n)`. Overwrites A. LinAlgError where A is not numerically positive definite.
    """
    factor, weights = _factorised(values, covariance)
    return _value(values, weights, factor[on])


def density(values: np.ndarray, covariance: np.ndarray, on: np.ndarray) -> Density:
    """`log_density`, with what its derivatives need."""
    n = len(values)
    factor, weights = _factorised(values, covariance)
    pivots = factor[on]
    pull, _ = lapack.dpftri(n, factor, overwrite_a=1, **_ORDER)
    pull = lapack.dsfrk(n, 1, 1.0, weights[:, None], -1.0, pull, overwrite_c=1, **_ORDER)
    own = 0.5 * pull[on]
    pull[on] = own  # the entries beside the diagonal stand for two
    return Density(weights, float(own.sum()), values, pivots, pull)


def _factorised(values: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The factor of A, in its place, and A^-1 y."""
    _keep_freed_memory()
    factor, failed = lapack.dpftrf(len(values), covariance, overwrite_a=1, **_ORDER)
    if failed:
        raise np.linalg.LinAlgError
    return factor, lapack.dpftrs(len(values), factor, values, **_ORDER)[0]


def _value(values: np.ndarray, weights: np.ndarray, pivots: np.ndarray) -> float:
    """The log density, from the diagonal of the factor."""
    return float(-0.5 * (values @ weights) - np.log(pivots).sum() - 0.5 * len(values) * np.log(2 * np.pi))


@cache
def _keep_freed_memory() -> None:
    """Let one evaluation reuse the memory of the last one's temporaries.

    glibc returns memory to the system above twice the largest block freed so far, and fetches it again page
    by page, which costs more than the arithmetic on it. One block of 31 MB, never touched, raises that.
    """
    np.empty(31 * 2**17)
