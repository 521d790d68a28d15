"""Eigenvalues of a symmetric matrix, and eigenvectors on demand."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from tvgp.dpp.fast import compiled, load

# Order up to which all eigenvectors cost as little as some, and up to which small blocks are faster.
_SMALL, _BLOCKED = 32, 128
# Error of eigenvectors computed one by one above which all are computed together.
_INACCURATE = 1e-9


class Spectrum:
    """A = Q T Q' with T = Z diag(values) Z' tridiagonal; eigenvectors are the columns of Q Z.

    Q is a product of reflectors, applied only to the requested columns of Z: an M-DPP needs M of them.
    Z comes with the values (divide and conquer), or column by column from compiled code.
    """

    def __init__(self, matrix: np.ndarray, leading: bool = False) -> None:
        """matrix: (n, n), symmetric, not modified; leading: whether small eigenvalues, relative to the
        largest, hardly matter, so that they may have other rounding errors with compiled code."""
        if len(matrix) > _SMALL:
            # Workspace for blocks of columns; above _BLOCKED the block size of LAPACK's drivers. With
            # repeated eigenvalues, as on a square grid, the eigenvectors depend on rounding: another
            # block size gives other samples of the same law.
            room = (8 if len(matrix) <= _BLOCKED else 64) * len(matrix)
            self._reflectors, d, e, self._tau, _ = lapack.dsytrd(matrix.T, lower=1, lwork=room)
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

    def vectors(self, index: np.ndarray) -> np.ndarray:
        """Eigenvectors of values[index] in rows, (len(index), n)."""
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
        reflectors, room = self._reflectors[1:, :-1], 64 * len(z)
        rest, _, _ = lapack.dormqr("L", "N", reflectors, self._tau, z[:, 1:].T, room)
        z[:, 1:] = rest.T
        return z
