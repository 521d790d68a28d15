"""Merged engine: any noise variances, changing every round; repeated arms count once.

Observations of one arm with noise variances v_i act as one observation with precision
p = sum 1/v_i and mean (sum y_i / v_i) / p. Over the u distinct arms, with K_u their Gram matrix
and D = diag(p), two equal forms; the cheaper one is used:

    dual, O(u^3 + u^2 G):    B = I + D^1/2 K_u D^1/2 = L L',  V = L^-1 D^1/2 K(u, arms),
                             mu = V' L^-1 D^-1/2 s,  sigma^2 = k(x, x) - sum V^2
    primal, O(r^3 + r^2 G):  A = I + F_u' D F_u = L L',  W = L^-1 F',
                             mu = F A^-1 F_u' s,  sigma^2 = sum W^2

with s = (sum y_i / v_i) per arm. log det(I + Sigma^-1/2 K Sigma^-1/2) = 2 sum log diag L in both.
B and A are at least the identity, so that no jitter is ever needed.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf

from tvgp.posterior.prior import Prior


def _cholesky(matrix: np.ndarray, what: str) -> np.ndarray:
    lower, info = dpotrf(matrix, lower=1, clean=1, overwrite_a=1)
    if info:
        raise ValueError(
            f"{what}: Cholesky factorisation failed at row {info}; check for infinite or NaN"
            " noise variances and values"
        )
    return lower


class Merged:
    """Exact posterior over all arms under arbitrary noise variances."""

    name = "merged"

    def __init__(self, prior: Prior, *, rank_limit: int = 256) -> None:
        self._prior = prior
        self._rank_limit = min(rank_limit, prior.n_arms - 1)
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        self.n = 0
        self.log_det = 0.0
        self.mean = np.zeros(self._prior.n_arms)
        self.variance = self._prior.diagonal.copy()
        self._seen = np.empty(0, dtype=int)

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values (n,) of arms (n,) with noise variances (n,)."""
        n_arms = self._prior.n_arms
        weights = 1.0 / np.asarray(noise_variances, dtype=float)
        precision = np.bincount(arms, weights, n_arms)
        weighted_sum = np.bincount(arms, weights * values, n_arms)
        self.n = len(arms)
        self._arms, self._weights = arms, weights
        self._seen = np.flatnonzero(precision)
        if not len(self._seen):
            self.reset()
            return
        self._p = precision[self._seen]
        self._s = weighted_sum[self._seen]
        factor = self._prior.factor(self._rank_limit) if len(self._seen) > 16 else None
        if factor is None or len(self._seen) <= factor.shape[1]:
            self._solve_dual()
        else:
            self._solve_primal(factor)
        np.maximum(self.variance, 0.0, out=self.variance)

    def _solve_dual(self) -> None:
        root = np.sqrt(self._p)
        rows = self._prior.rows(self._seen)
        B = (root[:, None] * rows[:, self._seen]) * root
        B.flat[:: len(B) + 1] += 1.0
        self._L = _cholesky(B.T, "merged engine")
        rows *= root[:, None]
        # V' in Fortran order is `rows` as it lies in memory: V' L' = (D^1/2 K)'
        Vt = dtrsm(1.0, self._L, rows.T, side=1, lower=1, trans_a=1, overwrite_b=1)
        z = dtrsm(1.0, self._L, (self._s / root)[:, None], lower=1)[:, 0]
        self.mean = Vt @ z
        self.variance = self._prior.diagonal - np.einsum("gu,gu->g", Vt, Vt)
        self.log_det = 2.0 * np.log(np.diagonal(self._L)).sum()
        self._Vt, self._W = Vt, None

    def _solve_primal(self, factor: np.ndarray) -> None:
        Fs = factor[self._seen]
        A = (Fs.T * self._p) @ Fs
        A.flat[:: len(A) + 1] += 1.0
        self._L = _cholesky(A.T, "merged engine")
        Wt = dtrsm(1.0, self._L, factor, side=1, lower=1, trans_a=1)
        half = dtrsm(1.0, self._L, (Fs.T @ self._s)[:, None], lower=1)[:, 0]
        self.mean = Wt @ half
        self.variance = np.einsum("gr,gr->g", Wt, Wt)
        self.log_det = 2.0 * np.log(np.diagonal(self._L)).sum()
        self._Vt, self._W = None, Wt

    def mean_squared_error(self, true_noise_variances: np.ndarray) -> np.ndarray:
        """E (mu(x) - f(x))^2, (G,), when the data (n,) really have these noise variances.

        With mu(x) = a'y this is k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i; it equals `variance` when
        the true variances are those the posterior was conditioned with.
        """
        if self.n == 0:
            return self.variance.copy()
        # a_i = b_g w_i / p_g for the observations i of arm g, with b = (K_u + D^-1)^-1 k_u
        squares = np.bincount(
            self._arms, self._weights**2 * true_noise_variances, self._prior.n_arms
        )[self._seen]
        discount = 1.0 / self._p - squares / self._p**2
        if self._W is None:
            b = dtrsm(1.0, self._L, self._Vt, side=1, lower=1)  # V' L^-1 = b' D^-1/2
            return np.maximum(self.variance - (b * b) @ (discount * self._p), 0.0)
        b = self._W @ (self._W[self._seen] * self._p[:, None]).T
        return np.maximum(self.variance - (b * b) @ discount, 0.0)

    def information(self, arms: np.ndarray, noise_variances: np.ndarray) -> float:
        """log det(I + Sigma^-1/2 K Sigma^-1/2) of other data, leaving the posterior alone."""
        precision = np.bincount(arms, 1.0 / noise_variances, self._prior.n_arms)
        seen = np.flatnonzero(precision)
        root = np.sqrt(precision[seen])
        B = (root[:, None] * self._prior.rows(seen)[:, seen]) * root
        B.flat[:: len(B) + 1] += 1.0
        return 2.0 * float(np.log(np.diagonal(_cholesky(B.T, "merged engine"))).sum())
