"""Samples of a projection DPP, whose kernel matrix is an orthogonal projector."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def sample_projection(
    diagonal: np.ndarray,
    row: Callable[[int], np.ndarray],
    uniforms: np.ndarray,
    twins: np.ndarray | None,
) -> list[int]:
    """One sample of the projection DPP of a projector P of rank len(uniforms).

    Chain rule: each item is drawn with probability proportional to its variance under P given
    those drawn before, P_xx - P_xZ P_ZZ^-1 P_Zx, updated by one new row of an incremental
    Cholesky factor. `diagonal` is that of P, `row(i)` returns P[i], both (N,). Items with the
    same value in `twins` are equal, so that one excludes the others.
    """
    variance = np.array(diagonal)
    np.maximum(variance, 0.0, out=variance)
    count, n = len(uniforms), len(variance)
    factor = np.empty((count, n))
    chosen: list[int] = []
    for k, uniform in enumerate(uniforms.tolist()):
        cumulative = variance.cumsum()
        item = int(cumulative.searchsorted(uniform * cumulative[-1], side="right"))
        if item == n:  # the product was rounded up to the total
            item = int(np.flatnonzero(variance)[-1])
        chosen.append(item)
        if k + 1 == count:
            break
        new = row(item)
        if k:
            new = new - factor[:k, item] @ factor[:k]
        new = np.multiply(new, 1.0 / math.sqrt(variance[item]), out=factor[k])
        variance -= new * new
        np.maximum(variance, 0.0, out=variance)
        variance[item] = 0.0
        if twins is not None:
            variance[twins == twins[item]] = 0.0
    return chosen
