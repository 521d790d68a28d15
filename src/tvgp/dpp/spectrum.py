"""Eigenvalues of a symmetric matrix, and eigenvectors on demand."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from tvgp.dpp.fast import compiled, load

# Order up to which all eigenvectors cost as little as some, and up to which small blocks are faster.
_SMALL, _BLOCKED = 32, 128
# Error of eigenvectors above which all are recomputed; that of an updated matrix, times the
# distance to the next value relative to the largest; most updates in a row.
_INACCURATE, _ROUNDING, _MOST_CHANGES = 1e-9, 1e-15, 64


class Spectrum:
    """A = Q T Q' with T = Z diag(values) Z' tridiagonal; eigenvectors are the columns of Q Z.

    Q is a product of reflectors, applied only to the requested columns of Z: an M-DPP needs M of them.
    Z comes with the values (divide and conquer), or column by column from compiled code.
    """

    def __init__(self, matrix: np.ndarray, leading: bool = False) -> None:
        """matrix: (n, n), symmetric, not modified; leading: whether small eigenvalues, relative to the
        largest, hardly matter, so that they may have other rounding errors with compiled code."""
        self._matrix, self._changes = matrix, 0
        self._apart_from = 0  # first of the values that differ enough for vectors after changes
        if len(matrix) > _SMALL:
            # Workspace for blocks of columns; above _BLOCKED the block size of LAPACK's drivers. With
            # repeated eigenvalues, as on a square grid, the eigenvectors depend on rounding: another
            # block size gives other samples of the same law.
            lwork = (8 if len(matrix) <= _BLOCKED else 64) * len(matrix)
            self._reflectors, d, e, self._tau, _ = lapack.dsytrd(matrix.T, lower=1, lwork=lwork)
            self._tridiagonal, self._turned = (d, e), False
            self._one_by_one = leading and compiled() is not None
            if self._one_by_one:
                self.values, info = lapack.dsterf(d, e)
            else:
                self.values, z, info = lapack.dstevd(d, e)
                self._rows = z.T
            if not info:
                return
        self.values, vectors = np.linalg.eigh(matrix)
        self._turned, self._rows, self._one_by_one = True, np.ascontiguousarray(vectors.T), False

    def grown(self, matrix: np.ndarray, added: np.ndarray) -> Spectrum:
        """That of `matrix`, which is this one's plus added'added, added (m, n); for leading eigenvalues.

        Compiled code applies few changes as rank-one updates, in a third of the time of a decomposition.
        """
        fast = compiled()
        changes = self._changes + len(added)
        if fast is None or len(matrix) != len(self.values) or changes > _MOST_CHANGES:
            return Spectrum(matrix, leading=True)
        values = self.values
        rows = self._rows if self._changes else self.vectors(np.arange(len(values)))
        for vector in added:
            new, turn = np.empty(len(values)), np.empty((len(values), len(values)))
            fast.rank_one(values, rows @ vector, new, turn)
            values, rows = new, turn @ rows
        result = Spectrum.__new__(Spectrum)
        result._matrix, result._changes = matrix, changes
        result.values, result._rows = values, rows
        result._turned, result._one_by_one = True, False
        least = _ROUNDING / _INACCURATE * values.item(-1)
        close = (values[1:] - values[:-1] < least).nonzero()[0]
        result._apart_from = close.item(-1) + 2 if len(close) else 0
        return result

    def vectors(self, index: np.ndarray) -> np.ndarray:
        """Eigenvectors of values[index] in rows, (len(index), n); index[0] is the smallest."""
        if self._changes and index.item(0) < self._apart_from:
            return Spectrum(self._matrix).vectors(index)
        fast = load() if self._one_by_one else None
        if fast is not None:
            rows = np.empty((len(index), len(self.values)))
            error = fast.tridiagonal_vectors(*self._tridiagonal, self.values, index, rows)
            if error <= _INACCURATE:
                return self._by_q(rows)
        if self._one_by_one:
            _, z, info = lapack.dstevd(*self._tridiagonal)
            if info:
                raise np.linalg.LinAlgError("eigenvalues did not converge")
            self._rows, self._one_by_one = z.T, False
        rows = self._rows[index]
        return rows if self._turned else self._by_q(rows)

    def _by_q(self, z: np.ndarray) -> np.ndarray:
        """Turn rows z of Z' into rows of (Q Z)', in place; Q does not change the first coordinate."""
        reflectors, lwork = self._reflectors[1:, :-1], 64 * len(z)
        rest, _, _ = lapack.dormqr("L", "N", reflectors, self._tau, z[:, 1:].T, lwork)
        z[:, 1:] = rest.T
        return z
