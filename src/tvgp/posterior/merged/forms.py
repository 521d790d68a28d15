"""The forms of the merged engine that are computed from scratch; formulas in `tvgp.posterior.merged`."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg.blas import dgemv, dsymm, dsymv, dsyrk, dtrmm
from scipy.linalg.lapack import dlauum

from tvgp.posterior import triangles
from tvgp.posterior.engine import LEAST_PRECISION
from tvgp.posterior.merged.harmonics import Harmonics
from tvgp.posterior.prior import Prior, padded

# Largest rank of the prior for the primal form.
_RANK_LIMIT = 256

# The time of the harmonic form as a number of operations of the others: at any rank, and per cube of the
# rank.
_HARMONIC_CALLS, _HARMONIC_CUBES = 1.4e6, 1.5

# Largest sum of all precisions, relative to that of the prior, for the harmonic form: its mean is then within
# 3e-4 posterior standard deviations, and loses a digit and a half with every digit more.
_HARMONIC_PRECISION = 1e9


class Workspace:
    """What the forms of one engine share: the prior's factors, and buffers for V or W and for products,
    reused in every round."""

    def __init__(self, prior: Prior) -> None:
        self.prior, self.n_arms = prior, prior.n_arms
        self._table, self._second = np.empty((2, 0, prior.n_arms))
        self._ones = np.empty(0)

    @cached_property
    def across(self) -> np.ndarray | None:
        """F', (r, G), as W is laid out; None above the rank limit."""
        factor = self.prior.factor(min(_RANK_LIMIT, self.n_arms))
        return None if factor is None else np.ascontiguousarray(factor.T)

    @property
    def rank(self) -> float:
        """r, inf above the rank limit."""
        return math.inf if self.across is None else len(self.across)

    @cached_property
    def padded(self) -> np.ndarray:
        """F' and columns of zeros, (r, G'), see `tvgp.posterior.prior.padded`."""
        assert self.across is not None
        return padded(self.across)

    @cached_property
    def harmonics(self) -> Harmonics | None:
        """Cosines and sines, None for other than evenly spaced arms and a stationary kernel."""
        return Harmonics.of(self.prior, min(_RANK_LIMIT, self.n_arms))

    def table(self, rows: int) -> np.ndarray:
        """(rows, G) for V or W, overwritten by the next call."""
        if rows > len(self._table):
            size = min(rows + 64, self.n_arms)
            self._table = np.zeros((size, self.n_arms))
            self._second = np.zeros_like(self._table)
            self._ones = np.ones(size)
        return self._table[:rows]

    def copy(self, table: np.ndarray) -> np.ndarray:
        """A copy of V or W, overwritten by the next call and by `sums_of_squares`."""
        second = self._second[: len(table)]
        second[:] = table
        return second

    def sums_of_squares(self, table: np.ndarray) -> np.ndarray:
        """Sum over rows of table (u, G) squared, (G,)."""
        squares = np.square(table, out=self._second[: len(table)])
        return dgemv(1.0, squares.T, self._ones[: len(table)])


class Form(Protocol):
    """What depends on the precisions alone. Only the last form made from a workspace is valid."""

    n: int  # arms seen
    log_det: float

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and variance, (G,), from s, (G,)."""

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, G)."""

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """As `Merged.mismatch_sums`."""


class FreshForm(Form, Protocol):
    """A form computed from the precisions of all arms, (G,)."""

    @staticmethod
    def cost(workspace: Workspace, n: int, total: float) -> float:
        """The time for n arms seen, whose precisions sum to `total`, as a number of operations; inf where the
        form does not exist or is not accurate."""

    def __init__(self, workspace: Workspace, precision: np.ndarray) -> None: ...


class Dual:
    """In the values at the u arms seen; V is (u, G)."""

    @staticmethod
    def cost(workspace: Workspace, n: int, total: float) -> float:
        """See `FreshForm`; above the rank the primal form has smaller matrices."""
        return n * n * (n + workspace.n_arms) if n <= workspace.rank else math.inf

    def __init__(self, workspace: Workspace, precision: np.ndarray) -> None:
        seen = self._seen = precision.nonzero()[0]
        self.n, self._p, self._workspace = len(seen), precision[seen], workspace
        V = self.V = workspace.table(len(seen))
        workspace.prior.rows(seen, out=V)
        self._gram = V.take(seen, axis=1)
        lower, self.log_det = _with_noise(self._gram, self._p)
        # inverting the small triangle and one product are faster than a triangular solve
        self._inverse = triangles.inverse(lower)
        _times_triangle(V, self._inverse, transposed=True)
        variance = workspace.prior.diagonal - workspace.sums_of_squares(V)
        self.variance = np.maximum(variance, 0.0, out=variance)

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Form`."""
        means = weighted_sum[self._seen] / self._p
        return dgemv(1.0, self.V.T, dgemv(1.0, self._inverse, means)), self.variance

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """See `Form`."""
        return self._workspace.prior.rows(arms) - self.V.take(arms, axis=1).T @ self.V

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `Form`."""
        q = spread[self._seen]
        # a_i = b_g / (w_i p_g) for the observations i of arm g, with b = (K_u + D^-1)^-1 k_u
        table = self._workspace.copy(self.V)
        _times_triangle(table, self._inverse, transposed=False)  # b
        np.square(table, out=table)
        error = dgemv(-1.0, table.T, (1.0 - q / self._p) / self._p, beta=1.0, y=self.variance)
        np.maximum(error, 0.0, out=error)
        gram, present = self._gram, (q >= LEAST_PRECISION).nonzero()[0]
        if len(present) < len(q):
            gram, q = gram.take(present, axis=0).take(present, axis=1), q[present]
        return error, _with_noise(gram, q)[1]


class Primal:
    """In the weights of the factor's columns."""

    @staticmethod
    def cost(workspace: Workspace, n: int, total: float) -> float:
        """See `FreshForm`; inf for a prior of high rank."""
        r = workspace.rank
        return r * r * (r + n + workspace.n_arms)

    def __init__(self, workspace: Workspace, precision: np.ndarray) -> None:
        across = workspace.across
        assert across is not None
        seen = self._seen = precision.nonzero()[0]
        self.n, self._workspace = len(seen), workspace
        self._root = np.sqrt(precision[seen])
        everything = len(seen) == across.shape[1]
        part = across if everything else across.take(seen, axis=1)
        self._half = np.multiply(part, self._root, out=None if everything else part)
        lower = triangles.cholesky_of_one_plus(square(self._half))
        self._inverse = triangles.inverse(lower)
        W = self._W = workspace.table(len(across))
        W[:] = across
        _times_triangle(W, self._inverse, transposed=True)
        self.variance = workspace.sums_of_squares(W)
        self.log_det = triangles.log_det(lower)

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Form`."""
        towards = dgemv(1.0, self._half.T, weighted_sum[self._seen] / self._root, trans=1)
        return dgemv(1.0, self._W.T, dgemv(1.0, self._inverse, towards)), self.variance

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """See `Form`."""
        return np.asarray(self._W.take(arms, axis=1).T @ self._W)

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `Form`."""
        # A^-1 (I + F_u' diag(q) F_u) A^-1 replaces A^-1
        lower = triangles.cholesky_of_one_plus(
            square(self._half * (np.sqrt(spread[self._seen]) / self._root))
        )
        table = self._workspace.copy(self._W)
        _times_triangle(table, self._inverse @ lower, transposed=False)
        return self._workspace.sums_of_squares(table), triangles.log_det(lower)

    def weights(self) -> np.ndarray:
        """A^-1, (r, r): the lower triangle, with zeros above it."""
        return dlauum(self._inverse, lower=1)[0]


class Harmonic:
    """The form in the weights of cosines and sines."""

    @staticmethod
    def cost(workspace: Workspace, n: int, total: float) -> float:
        """See `FreshForm`; inf without harmonics."""
        basis = workspace.harmonics
        if basis is None or total * workspace.prior.diagonal[0] > _HARMONIC_PRECISION:
            return math.inf
        return _HARMONIC_CALLS + _HARMONIC_CUBES * basis.rank**3

    def __init__(self, workspace: Workspace, precision: np.ndarray) -> None:
        assert workspace.harmonics is not None
        self.n = int(np.count_nonzero(precision))
        basis = self._basis = workspace.harmonics.significant(float(np.add.reduce(precision)))
        lower = triangles.cholesky(basis.precision(precision))
        self._P, _ = dlauum(triangles.inverse(lower), lower=1, overwrite_c=1)
        # of the mean, in half as many frequencies, and of the variance: one transform for both
        self._spectra = np.zeros((2, basis.rank - 1), dtype=complex)
        self._spectra[1] = basis.spectrum_of_diagonal(self._P)
        self.log_det = triangles.log_det(lower) + basis.log_variances

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Form`."""
        x = dsymv(1.0, self._P, self._basis.project(weighted_sum), lower=1)
        n = len(x) // 2
        self._spectra[0, :n] = self._basis.spectrum(x[:n], x[n:])
        mean, variance = self._basis.series(self._spectra)
        return mean, np.maximum(variance, 0.0)

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """See `Form`."""
        x = dsymm(1.0, self._P, self._basis.rows(arms).T, lower=1).T
        n = x.shape[1] // 2
        return self._basis.series(self._basis.spectrum(x[:, :n], x[:, n:]))

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `Form`."""
        # P (1/c + Phi'diag(q) Phi) P replaces P
        lower = triangles.cholesky(self._basis.precision(spread))
        half = dsymm(1.0, self._P, lower, lower=1)
        error = self._basis.diagonal(np.tril(dsyrk(1.0, half, lower=1)))
        return np.maximum(error, 0.0), triangles.log_det(lower) + self._basis.log_variances


# The first of those that cost the same is used.
FORMS: tuple[type[FreshForm], ...] = (Dual, Primal, Harmonic)


def square(rows: np.ndarray) -> np.ndarray:
    """rows rows' for rows (r, u), (r, r); only the lower triangle is set."""
    return dsyrk(1.0, rows.T, trans=1, lower=1)


def _with_noise(gram: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, float]:
    """L with L L' = K + D^-1, D = diag(p), and log det(I + D^1/2 K D^1/2), for a symmetric K."""
    noisy = gram.T.copy(order="F")
    noisy.ravel(order="K")[:: len(p) + 1] += 1.0 / p
    lower = triangles.cholesky(noisy)
    return lower, triangles.log_det(lower) + float(np.add.reduce(np.log(p)))


def _times_triangle(table: np.ndarray, lower: np.ndarray, *, transposed: bool) -> None:
    """table <- L table (transposed) or L' table, in place, for a table (u, G) in C order.

    BLAS sees the table's transpose, T' <- T' L' or T' L.
    """
    dtrmm(1.0, lower, table.T, side=1, lower=1, trans_a=int(transposed), overwrite_b=1)
