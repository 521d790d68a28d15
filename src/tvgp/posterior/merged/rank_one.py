"""Rank-one form of the merged engine: few precisions change from round to round.

If p of arm g changes by d, then with phi the row of F of that arm and P = A^-1

    h = P phi,  c = d / (1 + d phi'h),
    P -= c h h',  sigma^2 -= c (F h)^2,  log det += log(1 + d phi'h),

with d < 0 where old data are dropped; and mu = F P F's.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dgemm, dgemv, dsymm, dsymv, dsyr

from tvgp.posterior import triangles
from tvgp.posterior.merged.forms import Primal, Workspace, square


class RankOneForm:
    """A primal form that is updated when single precisions change; rounding errors accumulate."""

    def __init__(self, workspace: Workspace, precision: np.ndarray) -> None:
        """precision: p of all arms, (G,)."""
        form, factor = Primal(workspace, precision), workspace.prior.factor(workspace.n_arms)
        assert factor is not None
        self.n, self.variance, self.log_det = form.n, form.variance, form.log_det
        self._F, self._across, self._P = factor, workspace.padded, form.weights()
        self._sums = np.zeros(self._across.shape[1])
        self._rows, self._factors = (
            np.empty((0, len(self._P))),
            np.empty(0),
        )
        self.changes = 0

    def follow(self, n: int, arms: np.ndarray, by: np.ndarray) -> None:
        """Add `by` to p of arms, (m,); n: number of arms seen then. `posterior` is due next."""
        m = len(arms)
        # with one more for the mean, an even number of rows: BLAS is slower for three than for four
        self._rows, self._factors = np.zeros((m // 2 * 2 + 2, len(self._P))), np.empty(m)
        for i, (arm, d) in enumerate(zip(arms.tolist(), by.tolist(), strict=True)):
            phi = self._F[arm]
            # only the lower triangle of P is kept up to date
            h = self._rows[i] = dsymv(1.0, self._P, phi, lower=1)
            grown = 1.0 + d * float(phi @ h)
            self._factors[i] = d / grown
            dsyr(-self._factors[i], h, lower=1, a=self._P, overwrite_a=True)
            self.log_det += math.log(grown)
        self.n = n
        self.changes += m

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `tvgp.posterior.merged.forms.Form`."""
        m, weights = len(self._factors), self._weights(weighted_sum)
        if not m:
            return dgemv(1.0, self._across.T, weights)[: len(self._F)], self.variance
        self._rows[m] = weights
        # all products with F in one, which costs little more than one of them
        products = dgemm(1.0, self._across.T, self._rows.T).T[:, : len(self._F)]
        variance = self.variance - self._factors @ np.square(products[:m])
        self.variance = np.maximum(variance, 0.0, out=variance)
        self._factors = np.empty(0)
        return products[m], self.variance

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """See `tvgp.posterior.merged.forms.Form`."""
        return np.asarray(dsymm(1.0, self._P, self._F[arms].T, lower=1).T @ self._F.T)

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `tvgp.posterior.merged.forms.Form`."""
        # P (I + F' diag(q) F) P replaces P
        lower = triangles.cholesky_of_one_plus(square(self._F.T * np.sqrt(spread)))
        table = dgemm(1.0, self._F.T, dsymm(1.0, self._P, lower, lower=1), trans_a=1)
        return np.square(table).sum(axis=1), triangles.log_det(lower)

    def _weights(self, weighted_sum: np.ndarray) -> np.ndarray:
        """P F's, (r,)."""
        self._sums[: len(weighted_sum)] = weighted_sum
        return dsymv(1.0, self._P, dgemv(1.0, self._across.T, self._sums, trans=1), lower=1)
