"""A plain NumPy/SciPy loop: one dense Cholesky factorisation per step, no merging, no updates.

Efficient use of SciPy: the Gram matrix is computed once, checks are off, and factorisations work in
place.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, solve_triangular

from benchmarks.peers.refit import Refit


class DenseCholesky(Refit):
    """Rasmussen & Williams 2006, Algorithm 2.1, at every step."""

    def _fit(self, arms, values, variances, ages) -> None:
        cross = self._rows
        K = cross[:, arms]
        if self._epsilon:
            K *= self._time_kernel(ages[:, None] - ages)
            cross = cross * self._time_kernel(ages)[:, None]
        K.flat[:: len(K) + 1] += variances
        # K is symmetric: its transpose is the Fortran-ordered matrix that LAPACK expects
        lower, _ = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
        V = solve_triangular(lower, cross, lower=True, check_finite=False)
        z = solve_triangular(lower, values, lower=True, check_finite=False)
        self.mean = z @ V
        self.variance = np.maximum(self.prior.diagonal - np.einsum("ng,ng->g", V, V), 0.0)
        self.log_det = 2.0 * np.log(lower.diagonal()).sum() - np.log(variances).sum()
        self._lower = lower
