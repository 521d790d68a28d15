"""Incomplete Cholesky factors of kernel matrices of low numerical rank."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrmm

# Number of items searched for the first pivots.
_FIRST = 100


def incomplete_cholesky(matrix: np.ndarray, floor: float, most: int) -> np.ndarray | None:
    """T (r, N) with K = T'T up to residual variances of at most `floor`; None when r > `most`.

    Pivoted Cholesky (Harbrecht, Peters & Schneider 2012) in stages: LAPACK's unblocked routine,
    which stops at the rank, finds pivots among some of the items; the rows of T for all items are
    then one triangular product; items with a remaining residual variance form the next stage.
    `matrix` (N, N) is assumed symmetric positive semidefinite; the caller checks the residual.
    """
    n = len(matrix)
    table = np.empty((most, n))
    residual = matrix.diagonal().copy()
    step = max(1, n // _FIRST)
    candidates = np.arange(0, n, step)
    part = matrix[::step, ::step].copy()
    rank = 0
    while len(candidates):
        done = table[:rank]
        if rank:
            part = matrix[candidates[:, None], candidates]
            part -= done[:, candidates].T @ done[:, candidates]
        # symmetric, so its transpose is the Fortran-ordered matrix that LAPACK expects
        triangle, pivots, found, _ = lapack.dpstf2(part.T, lower=1, tol=floor, overwrite_a=1)
        if found == 0:  # residuals at the floor itself
            break
        if rank + found > most:
            return None
        chosen = candidates[pivots[:found] - 1]
        new = table[rank : rank + found]
        matrix.take(chosen, axis=0, out=new, mode="clip")
        if rank:
            new -= done[:, chosen].T @ done
        # inverting a small triangle and one product take half the time of a triangular solve
        inverse, _ = lapack.dtrtri(triangle[:found, :found], lower=1)
        dtrmm(1.0, inverse, new.T, side=1, lower=1, trans_a=1, overwrite_b=1)
        residual -= np.ones(found) @ np.square(new)
        residual[chosen] = 0.0
        rank += found
        candidates = np.flatnonzero(residual > floor)
    return table[:rank]
