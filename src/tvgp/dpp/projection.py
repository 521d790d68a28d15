"""Samples of a projection DPP, whose kernel matrix is an orthogonal projector."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dgemv

from tvgp.dpp.fast import compiled

_NONE = np.empty(0, dtype=np.intp)


def sample_projection(
    basis: np.ndarray,
    uniforms: np.ndarray,
    twins: np.ndarray | None = None,
    *,
    complement: bool = False,
) -> np.ndarray:
    """One sample of len(uniforms) items under P = B'B or, for the complement, P = I - B'B.

    Chain rule: each item is drawn with probability proportional to its variance under P given
    the items drawn before, P_xx - P_xZ P_ZZ^-1 P_Zx, updated by one new row of an incremental
    Cholesky factor. `basis` is B (m, N) with orthonormal rows; P has rank len(uniforms), which is
    m or N - m. Items with the same value in `twins` (N,) are equal: drawing one excludes the others.
    Returns items in the order of choice. Compiled if numba is installed (`tvgp.dpp.compiled`).
    """
    fast = compiled()
    if fast is not None:
        basis = np.ascontiguousarray(basis)
        return fast.sample_projection(basis, uniforms, _NONE if twins is None else twins, complement)
    count, (m, n) = len(uniforms), basis.shape
    # rows of B and, below them, of the factor: P_x. - P_xZ P_ZZ^-1 P_Z. is one product with both
    table = np.empty((m + count, n))
    table[:m] = basis
    columns = table.T
    signs = np.full(m + count, -1.0)
    signs[:m] = -1.0 if complement else 1.0
    variance = np.ones(m) @ np.square(basis)
    if complement:
        np.subtract(1.0, variance, out=variance)
        np.maximum(variance, 0.0, out=variance)
    square, cumulative = np.empty((2, n))
    chosen: list[int] = []
    # call overhead dominates: look names up once, use Python floats
    accumulate, multiply, subtract = np.add.accumulate, np.multiply, np.subtract
    find, total = cumulative.searchsorted, cumulative.item
    for size, uniform in enumerate(uniforms.tolist(), start=m):
        accumulate(variance, 0, None, cumulative)
        item = int(find(uniform * total(-1), "right"))
        if item == n or variance.item(item) <= 0.0:  # rounding: of the product, or of a variance
            np.maximum(variance, 0.0, out=variance)
            accumulate(variance, 0, None, cumulative)
            item = int(find(uniform * total(-1), "right"))
            item = item if item < n else int(np.flatnonzero(variance)[-1])
        chosen.append(item)
        scale = 1.0 / math.sqrt(variance.item(item))
        known = columns[:, :size]
        new = dgemv(scale, known, known[item] * signs[:size])
        if complement:
            new[item] += scale
        table[size] = new
        multiply(new, new, square)
        subtract(variance, square, variance)
        variance[item] = 0.0
        if twins is not None:
            variance[twins == twins[item]] = 0.0
    return np.array(chosen, dtype=np.intp)
