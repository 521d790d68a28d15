"""Updated form of the merged engine: few precisions change from round to round.

If p of arm g changes by d, then with phi the row of F of that arm and P = A^-1

    h = P phi,  c = d / (1 + d phi'h),
    P -= c h h',  sigma^2 -= c (F h)^2,  log det += log(1 + d phi'h),

with d < 0 where old data are dropped; and mu = F P F's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.linalg.blas import dgemm, dgemv, dsymm, dsymv, dsyr

from tvgp.posterior import triangles
from tvgp.posterior.forms import Primal, square


class Updated:
    """A primal form that follows changes of single precisions; their rounding adds up."""

    def __init__(self, factor: np.ndarray, across: np.ndarray, form: Primal) -> None:
        """factor: F, (G, r); across: F' and columns of zeros, (r, G'), see `padded`; in C order."""
        self.n, self.variance, self.log_det = form.n, form.variance, form.log_det
        self._F, self._across, self._P = factor, across, form.weights()
        self._sums = np.zeros(across.shape[1])
        self.changes = 0

    def follow(
        self, n: int, changes: Sequence[tuple[int, float]], weighted_sum: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The posterior after changes: arms, and how much is added to p; n: number of arms seen then."""
        m = len(changes)
        # an even number of rows: BLAS is slower for three than for four
        rows, factors = np.zeros((m // 2 * 2 + 2, len(self._P))), np.empty(m)
        for i, (arm, by) in enumerate(changes):
            phi = self._F[arm]
            # only the lower triangle of P is kept up to date
            h = rows[i] = dsymv(1.0, self._P, phi, lower=1)
            grown = 1.0 + by * float(phi @ h)
            factors[i] = by / grown
            dsyr(-factors[i], h, lower=1, a=self._P, overwrite_a=True)
            self.log_det += math.log(grown)
        rows[m] = self._weights(weighted_sum)
        # all products with F in one, which costs little more than one of them
        products = dgemm(1.0, self._across.T, rows.T).T[:, : len(self._F)]
        variance = self.variance - factors @ np.square(products[:m])
        self.variance = np.maximum(variance, 0.0, out=variance)
        self.n = n
        self.changes += m
        return products[m], self.variance

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `tvgp.posterior.forms.Form`."""
        mean = dgemv(1.0, self._across.T, self._weights(weighted_sum))[: len(self._F)]
        return mean, self.variance

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `tvgp.posterior.forms.Form`."""
        # P (I + F' diag(q) F) P replaces P
        lower = triangles.cholesky_of_one_plus(square(self._F.T * np.sqrt(spread)))
        table = dgemm(1.0, self._F.T, dsymm(1.0, self._P, lower, lower=1), trans_a=1)
        return np.square(table).sum(axis=1), triangles.log_det(lower)

    def _weights(self, weighted_sum: np.ndarray) -> np.ndarray:
        """P F's, (r,)."""
        self._sums[: len(weighted_sum)] = weighted_sum
        return dsymv(1.0, self._P, dgemv(1.0, self._across.T, self._sums, trans=1), lower=1)
