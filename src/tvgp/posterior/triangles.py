"""Cholesky factors of small matrices and their inverses, as the engines use them."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dgemm
from scipy.linalg.lapack import dpotrf, dtrtri

# Rows below which LAPACK inverts a triangle as fast as by halves.
_HALVES = 64


def cholesky_of_one_plus(matrix: np.ndarray) -> np.ndarray:
    """L with L L' = I + matrix, as `cholesky`."""
    matrix.flat[:: len(matrix) + 1] += 1.0
    return cholesky(matrix)


def cholesky(matrix: np.ndarray) -> np.ndarray:
    """L with L L' = matrix, zeros above the diagonal.

    The matrix may be overwritten; in Fortran order only its lower triangle is read. ValueError if it is
    not positive definite, which includes entries that are not finite.
    """
    # the transpose of a symmetric matrix in C order is one that LAPACK can overwrite
    fortran = matrix if matrix.flags.f_contiguous else matrix.T
    lower, info = dpotrf(fortran, lower=1, clean=1, overwrite_a=1)
    if info:
        raise ValueError(
            f"posterior: Cholesky factorisation failed at row {info}; check for infinite or"
            " NaN noise variances and values"
        )
    return lower


def inverse(lower: np.ndarray) -> np.ndarray:
    """L^-1, zeros above the diagonal.

    By halves, [[A, 0], [B, C]]^-1 = [[A^-1, 0], [-C^-1 B A^-1, C^-1]]: LAPACK's own inverse is three
    times slower than the matrix products that half of the work then is.
    """
    n = len(lower)
    if n < _HALVES:
        return dtrtri(lower, lower=1)[0]
    half = n // 2
    first, last = inverse(lower[:half, :half]), inverse(lower[half:, half:])
    result = np.zeros((n, n), order="F")
    result[:half, :half], result[half:, half:] = first, last
    result[half:, :half] = dgemm(-1.0, last, dgemm(1.0, lower[half:, :half], first))
    return result


def log_det(lower: np.ndarray) -> float:
    """log det L L'."""
    return 2.0 * float(np.add.reduce(np.log(lower.diagonal())))
