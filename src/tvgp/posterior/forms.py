"""The dual and the primal form of the merged engine; formulas in `tvgp.posterior.merged`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg.blas import dgemv, dsyrk, dtrmm
from scipy.linalg.lapack import dlauum

from tvgp.posterior import triangles
from tvgp.posterior.prior import Prior


class Form(Protocol):
    """What depends on the arms seen and their precisions alone."""

    n: int  # arms seen
    log_det: float

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Posterior mean and variance, (G,), from s, (G,)."""

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """As `Merged.mismatch_sums`."""


class Room:
    """Buffers for V or W and for products, reused in every round."""

    def __init__(self, n_arms: int) -> None:
        self._n_arms = n_arms
        self._table, self._second = np.empty((2, 0, n_arms))
        self._ones = np.empty(0)

    def table(self, rows: int, own: bool) -> np.ndarray:
        """(rows, G) for V or W; own: not to be overwritten by the next call."""
        if rows > len(self._table):
            size = min(rows + 64, self._n_arms)
            self._table = np.empty((size, self._n_arms))
            self._second = np.empty_like(self._table)
            self._ones = np.ones(size)
        return np.empty((rows, self._n_arms)) if own else self._table[:rows]

    def copy(self, table: np.ndarray) -> np.ndarray:
        """A copy of V or W, overwritten by the next call and by `sums_of_squares`."""
        room = self._second[: len(table)]
        room[:] = table
        return room

    def sums_of_squares(self, table: np.ndarray) -> np.ndarray:
        """Sum over rows of table (u, G) squared, (G,)."""
        squares = np.square(table, out=self._second[: len(table)])
        return dgemv(1.0, squares.T, self._ones[: len(table)])


class Dual:
    """In the values at the u arms seen."""

    def __init__(self, prior: Prior, seen: np.ndarray, p: np.ndarray, room: Room, own: bool) -> None:
        """seen, p: arms (u,) and their precisions; own: whether room is overwritten later."""
        self.n, self._seen, self._p, self._room = len(seen), seen, p, room
        V = self._V = room.table(len(seen), own)
        prior.rows(seen, out=V)
        self._gram = V.take(seen, axis=1)
        lower, self.log_det = _with_noise(self._gram, p)
        # inverting the small triangle and one product are faster than a triangular solve
        self._inverse = triangles.inverse(lower)
        _times_triangle(V, self._inverse, transposed=True)
        variance = prior.diagonal - room.sums_of_squares(V)
        self.variance = np.maximum(variance, 0.0, out=variance)

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Form`."""
        means = weighted_sum[self._seen] / self._p
        return dgemv(1.0, self._V.T, dgemv(1.0, self._inverse, means)), self.variance

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `Form`."""
        q = spread[self._seen]
        # a_i = b_g / (w_i p_g) for the observations i of arm g, with b = (K_u + D^-1)^-1 k_u
        table = self._room.copy(self._V)
        _times_triangle(table, self._inverse, transposed=False)  # b
        np.square(table, out=table)
        error = dgemv(-1.0, table.T, (1.0 - q / self._p) / self._p, beta=1.0, y=self.variance)
        np.maximum(error, 0.0, out=error)
        gram, present = self._gram, q.nonzero()[0]
        if len(present) < len(q):
            gram, q = gram.take(present, axis=0).take(present, axis=1), q[present]
        return error, _with_noise(gram, q)[1]


class Primal:
    """In the weights of the factor's columns."""

    def __init__(self, across: np.ndarray, seen: np.ndarray, p: np.ndarray, room: Room, own: bool) -> None:
        """across: F', (r, G), in C order; otherwise as `Dual`."""
        self.n, self._seen, self._room = len(seen), seen, room
        self._root = np.sqrt(p)
        everything = len(seen) == across.shape[1]
        part = across if everything else across.take(seen, axis=1)
        self._half = np.multiply(part, self._root, out=None if everything else part)
        lower = triangles.cholesky_of_one_plus(square(self._half))
        self._inverse = triangles.inverse(lower)
        W = self._W = room.table(len(across), own)
        W[:] = across
        _times_triangle(W, self._inverse, transposed=True)
        self.variance = room.sums_of_squares(W)
        self.log_det = triangles.log_det(lower)

    def posterior(self, weighted_sum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `Form`."""
        towards = dgemv(1.0, self._half.T, weighted_sum[self._seen] / self._root, trans=1)
        return dgemv(1.0, self._W.T, dgemv(1.0, self._inverse, towards)), self.variance

    def mismatch(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """See `Form`."""
        # A^-1 (I + F_u' diag(q) F_u) A^-1 replaces A^-1
        lower = triangles.cholesky_of_one_plus(
            square(self._half * (np.sqrt(spread[self._seen]) / self._root))
        )
        table = self._room.copy(self._W)
        _times_triangle(table, self._inverse @ lower, transposed=False)
        return self._room.sums_of_squares(table), triangles.log_det(lower)

    def weights(self) -> np.ndarray:
        """A^-1, (r, r): the lower triangle, with zeros above it."""
        return dlauum(self._inverse, lower=1)[0]


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
