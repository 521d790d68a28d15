"""Merged engine: any noise variances, changing every round; repeated arms count once.

Observations of one arm with noise variances v_i act as one observation with precision
p = sum 1/v_i and mean (sum y_i / v_i) / p. Over the u distinct arms, with K_u their Gram matrix
and D = diag(p), two equal forms; the cheaper one is used:

    dual, O(u^3 + u^2 G):    B = I + D^1/2 K_u D^1/2 = L L',  V = L^-1 D^1/2 K(u, arms),
                             mu = V' L^-1 D^-1/2 s,  sigma^2 = k(x, x) - sum V^2
    primal, O(r^3 + r^2 G):  A = I + F_u' D F_u = L L',  W = L^-1 F',
                             mu = F A^-1 F_u' s,  sigma^2 = sum W^2

with s = (sum y_i / v_i) per arm. log det(I + Sigma^-1/2 K Sigma^-1/2) = 2 sum log diag L in both.
B and A are at least the identity, so that no jitter is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.blas import dgemv, dsyrk, dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from tvgp.posterior.engine import Eager
from tvgp.posterior.prior import Prior

# Number of factorisations in the cache and their largest size (u G), for designs that recur, as fresh
# samples of some dozens of arms do. Larger ones share one buffer.
_KEPT, _KEPT_SIZE = 64, 4096

# Largest rank of the prior for the primal form.
_RANK_LIMIT = 256


@dataclass(slots=True)
class _Factors:
    """The part that depends only on the arms seen and their precisions p; see above for L, V and W.

    seen, p and root = sqrt(p): (u,); table: V in the dual form, W in the primal one; inverse: L^-1;
    inner: K_u in the dual form, F_u' D^1/2, (r, u), in the primal one.
    """

    seen: np.ndarray
    p: np.ndarray
    root: np.ndarray
    table: np.ndarray
    inverse: np.ndarray
    dual: bool
    inner: np.ndarray
    variance: np.ndarray
    log_det: float


class Merged(Eager):
    """Exact posterior over all arms under arbitrary noise variances."""

    name = "merged"

    def __init__(self, prior: Prior) -> None:
        super().__init__(prior)
        # buffers for V or W and for products, reused in every round
        self._table, self._second = np.empty((2, 0, prior.n_arms))
        self._ones = np.empty(0)
        self._kept: dict[bytes, _Factors] = {}
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._precision = b""

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values (n,) of arms (n,) with noise variances (n,)."""
        n_arms = self.prior.n_arms
        weights = 1.0 / np.asarray(noise_variances, dtype=float)
        precision = np.bincount(arms, weights, n_arms)
        weighted_sum = np.bincount(arms, weights * values, n_arms)
        self.condition_sums(precision, weighted_sum)
        self.n = len(arms)

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from sums per arm, p and s, (G,): one observation per arm with p > 0."""
        as_bytes = precision.tobytes()
        if as_bytes != self._precision:  # else only the mean changes
            seen = precision.nonzero()[0]
            if not len(seen):
                self.reset()
                return
            may_return = len(seen) * len(precision) <= _KEPT_SIZE
            factors = self._kept.get(as_bytes) if may_return else None
            if factors is None:
                self._precision = b""  # if this fails, no factors are valid
                factors = self._factorise(seen, precision[seen])
                if may_return:
                    if len(self._kept) == _KEPT:
                        del self._kept[next(iter(self._kept))]
                    self._kept[as_bytes] = factors
            self._factors, self._precision = factors, as_bytes
            self.variance, self.log_det = factors.variance, factors.log_det
        factors = self._factors
        towards = weighted_sum[factors.seen] / factors.root
        if not factors.dual:
            towards = dgemv(1.0, factors.inner.T, towards, trans=1)
        self.mean = dgemv(1.0, factors.table.T, dgemv(1.0, factors.inverse, towards))
        self.n = len(factors.seen)

    def _factorise(self, seen: np.ndarray, p: np.ndarray) -> _Factors:
        """The factors in the cheaper form."""
        across = self._across if len(seen) > 16 else None
        if across is None or len(seen) <= len(across):
            return self._dual(seen, p)
        return self._primal(seen, p, across)

    @cached_property
    def _across(self) -> np.ndarray | None:
        """F', (r, G), as W is laid out; None above the rank limit."""
        factor = self.prior.factor(min(_RANK_LIMIT, self.prior.n_arms - 1))
        return None if factor is None else np.ascontiguousarray(factor.T)

    def _dual(self, seen: np.ndarray, p: np.ndarray) -> _Factors:
        root = np.sqrt(p)
        V = self._room(len(root))
        self.prior.rows(seen, out=V)
        gram = V.take(seen, axis=1)
        lower = _cholesky_of_one_plus(_scaled(gram, root))
        # inverting the small triangle and one product are faster than a triangular solve
        inverse = _triangular_inverse(lower)
        _times_triangle(V, inverse * root, transposed=True)
        variance = self.prior.diagonal - self._sums_of_squares(V, self._second)
        np.maximum(variance, 0.0, out=variance)
        return _Factors(seen, p, root, V, inverse, True, gram, variance, _log_det(lower))

    def _primal(self, seen: np.ndarray, p: np.ndarray, across: np.ndarray) -> _Factors:
        root = np.sqrt(p)
        half = across.take(seen, axis=1)
        half *= root
        lower = _cholesky_of_one_plus(_square(half))
        inverse = _triangular_inverse(lower)
        W = self._room(len(across))
        W[:] = across
        _times_triangle(W, inverse, transposed=True)
        variance = self._sums_of_squares(W, self._second)
        return _Factors(seen, p, root, W, inverse, False, half, variance, _log_det(lower))

    def _room(self, rows: int) -> np.ndarray:
        """(rows, G) buffer for V or W, reused by the next call unless it is small enough to be cached;
        grows the second buffer, for `mismatch_sums` and sums, alike."""
        n_arms = self.prior.n_arms
        if rows > len(self._table):
            size = min(rows + 64, n_arms)
            self._table = np.empty((size, n_arms))
            self._second = np.empty_like(self._table)
            self._ones = np.ones(size)
        return np.empty((rows, n_arms)) if rows * n_arms <= _KEPT_SIZE else self._table[:rows]

    def _sums_of_squares(self, table: np.ndarray, room: np.ndarray) -> np.ndarray:
        """Sum over rows of table (u, G) squared, (G,); `room` is overwritten."""
        squares = np.square(table, out=room[: len(table)])
        return dgemv(1.0, squares.T, self._ones[: len(table)])

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """Error of the posterior mean if observations i with assumed noise variances w_i have true
        ones v_i. spread: sum v_i / w_i^2 per arm, (G,), 0 without data.

        The first is E (mu(x) - f(x))^2 = k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i, (G,), with
        mu(x) = a'y; it equals `variance` if v = w. The second is log det(I + Q^1/2 K Q^1/2),
        Q = diag(v_i / w_i^2).
        """
        if self.n == 0:
            return self.variance.copy(), 0.0
        factors = self._factors
        q = spread[factors.seen]
        room = self._second[: len(factors.table)]
        room[:] = factors.table
        if not factors.dual:
            # A^-1 (I + F_u' diag(q) F_u) A^-1 replaces A^-1
            lower = _cholesky_of_one_plus(_square(factors.inner * (np.sqrt(q) / factors.root)))
            _times_triangle(room, factors.inverse @ lower, transposed=False)
            return self._sums_of_squares(room, room), _log_det(lower)
        # a_i = b_g / (w_i p_g) for the observations i of arm g, with b = (K_u + D^-1)^-1 k_u
        _times_triangle(room, factors.inverse, transposed=False)  # D^-1/2 b
        np.square(room, out=room)
        error = self.variance - (1.0 - q / factors.p) @ room
        present = q.nonzero()[0]
        if not len(present):
            return np.maximum(error, 0.0), 0.0
        gram = factors.inner.take(present, axis=0).take(present, axis=1)
        lower = _cholesky_of_one_plus(_scaled(gram, np.sqrt(q[present])))
        return np.maximum(error, 0.0), _log_det(lower)


def _square(rows: np.ndarray) -> np.ndarray:
    """rows rows' for rows (r, u), (r, r); only the lower triangle is set."""
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
    matrix.flat[:: len(matrix) + 1] += 1.0
    # the transpose of a symmetric matrix in C order is one that LAPACK can overwrite
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
    return 2.0 * float(np.add.reduce(np.log(lower.diagonal())))
