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

    value: float
    weights: np.ndarray
    noise_slope: float
    _pull: np.ndarray

    def slope(self, change: np.ndarray) -> float:
        """The derivative in a parameter of A, tr((A^-1 y y' A^-1 - A^-1) dA) / 2, for dA, packed (Rasmussen &
        Williams 2006, eq. 5.9)."""
        return float(self._pull @ change)


def log_density(values: np.ndarray, covariance: np.ndarray, on: np.ndarray) -> float:
    """log N(y; 0, A) = -1/2 y'A^-1 y - 1/2 log|A| - n/2 log 2 pi, for values y (n,) and A, packed.

    on: `diagonal(n)`. Overwrites A. LinAlgError where A is not numerically positive definite.
    """
    return _factorised(values, covariance, on)[0]


def density(values: np.ndarray, covariance: np.ndarray, on: np.ndarray) -> Density:
    """`log_density`, with what its derivatives need."""
    n = len(values)
    value, weights, factor = _factorised(values, covariance, on)
    pull, _ = lapack.dpftri(n, factor, overwrite_a=1, **_ORDER)
    pull = lapack.dsfrk(n, 1, 1.0, weights[:, None], -1.0, pull, overwrite_c=1, **_ORDER)
    own = 0.5 * pull[on]
    pull[on] = own  # the entries beside the diagonal stand for two
    return Density(value, weights, float(own.sum()), pull)


def _factorised(
    values: np.ndarray, covariance: np.ndarray, on: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """log N(y; 0, A), A^-1 y and the factor of A, in its place."""
    _keep_freed_memory()
    n = len(values)
    factor, failed = lapack.dpftrf(n, covariance, overwrite_a=1, **_ORDER)
    if failed:
        raise np.linalg.LinAlgError
    weights, _ = lapack.dpftrs(n, factor, values, **_ORDER)
    value = -0.5 * (values @ weights) - np.log(factor[on]).sum() - 0.5 * n * np.log(2 * np.pi)
    return float(value), weights, factor


@cache
def _keep_freed_memory() -> None:
    """Let one evaluation reuse the memory of the last one's temporaries.

    glibc returns memory to the system above twice the largest block freed so far, and fetches it again page
    by page, which costs more than the arithmetic on it. One block of 31 MB, never touched, raises that.
    """
    np.empty(31 * 2**17)
