"""Greedy determinant maximisation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tvgp.dpp.inputs import EPS, checked_matrix, checked_size


def greedy(
    kernel_matrix: np.ndarray | Callable[[int], np.ndarray],
    size: int,
    tolerance: float = 1e-10,
    diagonal: np.ndarray | None = None,
) -> np.ndarray:
    """A set of large determinant: the pivots of an incomplete Cholesky factorisation.

    Repeatedly adds argmax_x k(x, x) - k(x, Z) K_ZZ^-1 k(Z, x) (Burt et al. 2020, section 4.2.2;
    Mauduit25a, App. A, Alg. 3), in O(N M^2). Ties within 1e-9 (relative) go to the lowest index.

    `kernel_matrix` is K (N, N), or a function i -> column K[:, i] (N,) together with
    `diagonal` (N,); then only the columns of the answer are ever computed. `tolerance` is
    relative to the largest k(x, x): items with a smaller residual variance are not added, so the
    result may be shorter than `size`.

    Returns indices in the order of choice. ValueError for a negative size, a matrix that is not
    square or not finite.
    """
    size = checked_size(size)
    if callable(kernel_matrix):
        if diagonal is None:
            raise ValueError("greedy: a kernel given by columns needs `diagonal`, (N,)")
        column = kernel_matrix
        residual = np.array(diagonal, dtype=float)
    else:
        matrix, _ = checked_matrix(kernel_matrix)
        column = matrix.__getitem__  # rows are columns: K is symmetric
        residual = matrix.diagonal().copy()
    if residual.ndim != 1 or not np.isfinite(residual.sum()):
        raise ValueError("greedy: the diagonal must be a vector of finite numbers")
    n = len(residual)
    size = min(size, n)
    if size == 0:
        return np.empty(0, dtype=np.intp)

    floor = max(tolerance, n * EPS) * max(float(residual.max()), 0.0)
    factor = np.empty((size, n))
    chosen: list[int] = []
    while len(chosen) < size:
        largest = float(residual.max())
        if largest <= floor:
            break
        pivot = int((residual >= largest * (1.0 - 1e-9)).argmax())
        k = len(chosen)
        chosen.append(pivot)
        new = column(pivot) - factor[:k, pivot] @ factor[:k]
        new /= math.sqrt(residual[pivot])
        factor[k] = new
        residual -= new * new
        residual[pivot] = 0.0
    return np.array(chosen, dtype=np.intp)
