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
from scipy.linalg.blas import dgemv, dsyrk, dtrmm
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
        self._ones = np.empty(0)
        self._asked = False
        self._transposed: np.ndarray | None = None  # F', once asked for
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        self.n = 0
        self.log_det = 0.0
        self.mean = np.zeros(self._prior.n_arms)
        self.variance = self._prior.diagonal.copy()
        self._seen = np.empty(0, dtype=int)
        self._precision = b""

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
        as_bytes = precision.tobytes()
        if as_bytes != self._precision:  # else the mean alone is another one
            self._seen = precision.nonzero()[0]
            self._p = precision[self._seen]
            if not len(self._seen):
                self.reset()
                return
            self._factorise()
            self._precision = as_bytes
        towards = weighted_sum[self._seen] / self._root
        if self._factor is not None:
            towards = dgemv(1.0, self._factor.T, towards, trans=1)
        self.mean = dgemv(1.0, self._V.T, dgemv(1.0, self._inverse, towards))
        self.n = len(self._seen)
        self._arms, self._weights = self._seen, self._p

    def _factorise(self) -> None:
        """What depends on the arms seen and their precisions: variance, log det and the factors."""
        count = len(self._seen)
        self._root = np.sqrt(self._p)
        across = self._across() if count > 16 else None
        if across is None or count <= len(across):
            self._factorise_dual()
        else:
            self._factorise_primal(across)
        np.maximum(self.variance, 0.0, out=self.variance)

    def _across(self) -> np.ndarray | None:
        """F', (r, G), as W is laid out; None above the rank limit."""
        if not self._asked:
            self._asked = True
            factor = self._prior.factor(self._rank_limit)
            if factor is not None:
                self._transposed = np.ascontiguousarray(factor.T)
                self._columns = np.empty(factor.size)
        return self._transposed

    def _factorise_dual(self) -> None:
        root = self._root
        V = self._room(len(root))
        self._prior.rows(self._seen, out=V)
        self._gram = V.take(self._seen, axis=1)
        lower = _cholesky_of_one_plus(_scaled(self._gram, root))
        # inverting a small triangle and one product take half the time of a triangular solve
        self._inverse = _triangular_inverse(lower)
        _times_triangle(V, self._inverse * root, transposed=True)
        self.variance = self._prior.diagonal - self._sums_of_squares(V, self._second)
        self.log_det = _log_det(lower)
        self._factor = None

    def _factorise_primal(self, across: np.ndarray) -> None:
        rank, count = len(across), len(self._seen)
        # F_u' D^1/2; indices are our own, and the mode that checks them would copy
        self._factor = self._columns[: rank * count].reshape(rank, count)
        across.take(self._seen, axis=1, out=self._factor, mode="clip")
        self._factor *= self._root
        lower = _cholesky_of_one_plus(_square(self._factor))
        self._inverse = _triangular_inverse(lower)
        W = self._room(rank)
        W[:] = across
        _times_triangle(W, self._inverse, transposed=True)
        self.variance = self._sums_of_squares(W, self._second)
        self.log_det = _log_det(lower)

    def _room(self, rows: int) -> np.ndarray:
        """(rows, G) for V or W, overwritten by the next call; as much for `mismatch` beside it."""
        if rows > len(self._table):
            size = min(rows + 64, self._prior.n_arms)
            self._table = np.empty((size, self._prior.n_arms))
            self._second = np.empty_like(self._table)
            self._ones = np.ones(size)
        self._V = self._table[:rows]
        return self._V

    def _sums_of_squares(self, table: np.ndarray, room: np.ndarray) -> np.ndarray:
        """Sum over rows of table (u, G) squared, (G,); `room` is overwritten."""
        squares = np.square(table, out=room[: len(table)])
        return dgemv(1.0, squares.T, self._ones[: len(table)])

    def mismatch(self, true_noise_variances: np.ndarray) -> tuple[np.ndarray, float]:
        """What the posterior mean is worth when the data (n,) really have these noise variances v.

        The first is E (mu(x) - f(x))^2 = k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i, (G,), with
        mu(x) = a'y; it equals `variance` where v is what the posterior was conditioned with. The
        second is log det(I + Q^1/2 K Q^1/2), Q = diag(v_i / w_i^2) with w the assumed variances.
        """
        q = np.bincount(self._arms, self._weights**2 * true_noise_variances, self._prior.n_arms)
        return self.mismatch_sums(q)

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """The same from sum v_i / w_i^2 of all arms, (G,), 0 where nothing was seen."""
        if self.n == 0:
            return self.variance.copy(), 0.0
        q = spread[self._seen]
        if self._factor is not None:
            # A^-1 (I + F_u' diag(q) F_u) A^-1 in the place of A^-1
            lower = _cholesky_of_one_plus(_square(self._factor * (np.sqrt(q) / self._root)))
            spread = self._second[: len(lower)]
            spread[:] = self._V
            _times_triangle(spread, self._inverse @ lower, transposed=False)
            return self._sums_of_squares(spread, spread), _log_det(lower)
        # a_i = b_g / (w_i p_g) for the observations i of arm g, with b = (K_u + D^-1)^-1 k_u
        b = self._second[: len(q)]
        b[:] = self._V
        _times_triangle(b, self._inverse, transposed=False)  # D^-1/2 b
        np.square(b, out=b)
        error = self.variance - (1.0 - q / self._p) @ b
        lower = _cholesky_of_one_plus(_scaled(self._gram, np.sqrt(q)))
        return np.maximum(error, 0.0), _log_det(lower)


def _square(rows: np.ndarray) -> np.ndarray:
    """rows rows' for rows (r, u), (r, r); only its lower triangle is made."""
    return dsyrk(1.0, rows.T, trans=1, lower=1)


def _scaled(gram: np.ndarray, root: np.ndarray) -> np.ndarray:
    """diag(root) K diag(root) for a symmetric K."""
    scaled = (gram * root).T
    scaled *= root
    return scaled


def _times_triangle(table: np.ndarray, lower: np.ndarray, *, transposed: bool) -> None:
    """table <- L table (transposed) or L' table, in place, for a table (u, G) in C order.

    BLAS sees the table's transpose, T' <- T' L' or T' L.
    """
    dtrmm(1.0, lower, table.T, side=1, lower=1, trans_a=int(transposed), overwrite_b=1)


def _cholesky_of_one_plus(matrix: np.ndarray) -> np.ndarray:
    """L with L L' = I + matrix; ValueError for entries that are not finite."""
    # a view; the matrix is symmetric, so that its transpose is what LAPACK can overwrite
    fortran = matrix if matrix.flags.f_contiguous else matrix.T
    fortran.ravel("F")[:: len(matrix) + 1] += 1.0
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
    return 2.0 * float(np.add.reduce(np.log(lower.diagonal())))
