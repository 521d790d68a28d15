"""Input checks of the samplers: sizes and kernel matrices, in O(N^2)."""

from __future__ import annotations

import operator
from functools import lru_cache

import numpy as np

EPS = np.finfo(float).eps
# Relative size of a negative residual or an asymmetry beyond rounding.
INCONSISTENT = 1e-8


@lru_cache(maxsize=64)
def probe_weights(n: int) -> np.ndarray:
    """Fixed generic vector in [1, 2]: multiples of the golden ratio modulo 1, well spread."""
    weights = 1.0 + (np.arange(1, n + 1) * 0.6180339887498949) % 1.0
    weights.flags.writeable = False
    return weights


def checked_size(size: int, what: str = "size") -> int:
    """The size as an int. ValueError unless it is an integer of at least 0."""
    try:
        value = operator.index(size)
    except TypeError:
        value = -1
    if value < 0:
        raise ValueError(f"dpp: the {what} is {size!r}, must be an integer >= 0")
    return value


def check_symmetry(matrix: np.ndarray, probe: np.ndarray) -> None:
    """ValueError when the matrix is not symmetric. probe: its product with `probe_weights`, which
    must equal the transpose's."""
    difference = probe_weights(len(matrix)) @ matrix - probe
    if len(matrix) and np.abs(difference).max() > INCONSISTENT * np.abs(probe).max():
        raise ValueError("dpp: the kernel matrix is not symmetric")


def checked_matrix(kernel_matrix: np.ndarray, symmetry: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """The matrix in C order, and its product with `probe_weights`, which reveals NaN and asymmetry."""
    matrix = np.ascontiguousarray(kernel_matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"dpp: the kernel matrix has shape {matrix.shape}, must be (N, N)")
    probe = matrix @ probe_weights(len(matrix))
    if not np.isfinite(probe.sum()):
        raise ValueError("dpp: the kernel matrix has entries that are not finite")
    if symmetry:
        check_symmetry(matrix, probe)
    if len(matrix) and matrix.diagonal().min() < 0.0:
        raise ValueError("dpp: the kernel matrix has a negative variance on its diagonal")
    return matrix, probe
