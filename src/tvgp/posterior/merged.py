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
from scipy.linalg.blas import dsyrk, dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from tvgp.posterior.prior import Prior


class Merged:
    """Exact posterior over all arms under arbitrary noise variances."""

    name = "merged"

    def __init__(self, prior: Prior, *, rank_limit: int = 256) -> None:
        self._prior = prior
        self._rank_limit = min(rank_limit, prior.n_arms - 1)
        # V or W, and b of `mismatch`: fresh pages each round would take as long as the products
        self._table, self._second = np.empty((2, 0, prior.n_arms))
        self._whole: np.ndarray | None = None  # F, once asked for
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
        self.condition_sums(precision, weighted_sum)
        self.n = len(arms)
        self._arms, self._weights = arms, weights

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from the sums of all arms, p and s, (G,): an observation an arm with p > 0."""
        seen = precision.nonzero()[0]
        self._seen = seen
        self._p, self._s = precision[seen], weighted_sum[seen]
        self.n = len(seen)
        self._arms, self._weights = seen, self._p
        self._solve()

    def _solve(self) -> None:
        """Mean, variance and log det from merged data."""
        count = len(self._seen)
        if not count:
            self.reset()
            return
        factor = self._factor_of_prior() if count > 16 else None
        if factor is None or count <= factor.shape[1]:
            self._solve_dual()
        else:
            self._solve_primal(factor)
        np.maximum(self.variance, 0.0, out=self.variance)

    def _factor_of_prior(self) -> np.ndarray | None:
        """F, (G, r); None above the rank limit."""
        if self._whole is None:
            self._whole = self._prior.factor(self._rank_limit)
            if self._whole is not None:
                self._across = np.ascontiguousarray(self._whole.T)  # as W is laid out
                self._rows = np.empty_like(self._whole)
        return self._whole

    def _solve_dual(self) -> None:
        root = np.sqrt(self._p)
        V = self._room(len(root))
        self._prior.rows(self._seen, out=V)
        self._gram = V[:, self._seen]
        lower = _cholesky_of_one_plus(root[:, None] * self._gram * root)
        # inverting a small triangle and one product take half the time of a triangular solve
        self._inverse = _triangular_inverse(lower)
        _times_triangle(V, self._inverse * root, transposed=True)
        self.mean = (self._inverse @ (self._s / root)) @ V
        self.variance = self._prior.diagonal - _sums_of_squares(V, self._second)
        self.log_det = _log_det(lower)
        self._factor = None

    def _solve_primal(self, factor: np.ndarray) -> None:
        Fs = factor.take(self._seen, axis=0, out=self._rows[: len(self._seen)], mode="clip")
        towards = self._s @ Fs
        Fs *= np.sqrt(self._p)[:, None]
        lower = _cholesky_of_one_plus(dsyrk(1.0, Fs.T, lower=1))
        self._inverse = _triangular_inverse(lower)
        W = self._room(len(lower))
        W[:] = self._across
        _times_triangle(W, self._inverse, transposed=True)
        self.mean = (self._inverse @ towards) @ W
        self.variance = _sums_of_squares(W, self._second)
        self.log_det = _log_det(lower)
        self._factor = factor

    def _room(self, rows: int) -> np.ndarray:
        """(rows, G) for V or W, overwritten by the next call; as much for `mismatch` beside it."""
        if rows > len(self._table):
            size = min(rows + 64, self._prior.n_arms)
            self._table = np.empty((size, self._prior.n_arms))
            self._second = np.empty_like(self._table)
        self._V = self._table[:rows]
        return self._V

    def mismatch(self, true_noise_variances: np.ndarray) -> tuple[np.ndarray, float]:
        """What the posterior mean is worth when the data (n,) really have these noise variances v.

        The first is E (mu(x) - f(x))^2 = k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i, (G,), with
        mu(x) = a'y; it equals `variance` where v is what the posterior was conditioned with. The
        second is log det(I + Q^1/2 K Q^1/2), Q = diag(v_i / w_i^2) with w the assumed variances.
        """
        if self.n == 0:
            return self.variance.copy(), 0.0
        q = np.bincount(self._arms, self._weights**2 * true_noise_variances, self._prior.n_arms)
        q = q[self._seen]
        if self._factor is not None:
            # A^-1 (I + F_u' diag(q) F_u) A^-1 in the place of A^-1
            lower = _cholesky_of_one_plus(_weighted_square(self._factor[self._seen], q))
            spread = self._second[: len(lower)]
            spread[:] = self._V
            _times_triangle(spread, self._inverse @ lower, transposed=False)
            return _sums_of_squares(spread, spread), _log_det(lower)
        # a_i = b_g / (w_i p_g) for the observations i of arm g, with b = (K_u + D^-1)^-1 k_u
        b = self._second[: len(q)]
        b[:] = self._V
        _times_triangle(b, self._inverse, transposed=False)  # D^-1/2 b
        np.square(b, out=b)
        error = self.variance - (1.0 - q / self._p) @ b
        root = np.sqrt(q)
        lower = _cholesky_of_one_plus(root[:, None] * self._gram * root)
        return np.maximum(error, 0.0), _log_det(lower)


def _weighted_square(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """rows' diag(weights) rows, (r, r); only its lower triangle is made."""
    return dsyrk(1.0, (rows * np.sqrt(weights)[:, None]).T, lower=1)


def _times_triangle(table: np.ndarray, lower: np.ndarray, *, transposed: bool) -> None:
    """table <- L table (transposed) or L' table, in place, for a table (u, G) in C order.

    BLAS sees the table's transpose, T' <- T' L' or T' L.
    """
    dtrmm(1.0, lower, table.T, side=1, lower=1, trans_a=int(transposed), overwrite_b=1)


def _sums_of_squares(table: np.ndarray, room: np.ndarray) -> np.ndarray:
    """Sum over rows of table (u, G) squared, (G,); `room` is overwritten."""
    return np.ones(len(table)) @ np.square(table, out=room[: len(table)])


def _cholesky_of_one_plus(matrix: np.ndarray) -> np.ndarray:
    """L with L L' = I + matrix; ValueError for entries that are not finite."""
    matrix.flat[:: len(matrix) + 1] += 1.0
    # symmetric where it is in C order, so that its transpose is what LAPACK can overwrite
    fortran = matrix if matrix.flags.f_contiguous else matrix.T
    lower, info = dpotrf(fortran, lower=1, clean=1, overwrite_a=1)
    if info:
        raise ValueError(
            f"merged engine: Cholesky factorisation failed at row {info}; check for infinite or"
            " NaN noise variances and values"
        )
    return lower


def _triangular_inverse(lower: np.ndarray) -> np.ndarray:
    return dtrtri(lower, lower=1)[0]


def _log_det(lower: np.ndarray) -> float:
    return 2.0 * float(np.log(lower.diagonal()).sum())
