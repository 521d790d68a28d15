"""Eigenvalues of a symmetric matrix, and eigenvectors on demand."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

# Order up to which all eigenvectors cost as little as some, and up to which small blocks are faster.
_SMALL, _BLOCKED = 32, 128


class Spectrum:
    """A = Q T Q' with T = Z diag(values) Z' tridiagonal; eigenvectors are the columns of Q Z.

    Z comes with the values (divide and conquer). Q is a product of reflectors, applied only to the
    requested columns of Z: an M-DPP needs M of them.
    """

    def __init__(self, matrix: np.ndarray) -> None:
        """matrix: (n, n), symmetric, not modified."""
        if len(matrix) > _SMALL:
            # Workspace for blocks of columns; above _BLOCKED the block size of LAPACK's drivers. With
            # repeated eigenvalues, as on a square grid, the eigenvectors depend on rounding: another
            # block size gives other samples of the same law.
            room = (8 if len(matrix) <= _BLOCKED else 64) * len(matrix)
            self._reflectors, d, e, self._tau, _ = lapack.dsytrd(matrix.T, lower=1, lwork=room)
            self.values, z, info = lapack.dstevd(d, e)
            if not info:
                self._turned, self._rows = False, z.T
                return
        self.values, vectors = np.linalg.eigh(matrix)
        self._turned, self._rows = True, np.ascontiguousarray(vectors.T)

    def vectors(self, index: np.ndarray) -> np.ndarray:
        """Eigenvectors of values[index] in rows, (len(index), n)."""
        rows = self._rows[index]
        return rows if self._turned else self._by_q(rows)

    def _by_q(self, z: np.ndarray) -> np.ndarray:
        """Turn rows z of Z' into rows of (Q Z)', in place; Q does not change the first coordinate."""
        reflectors, room = self._reflectors[1:, :-1], 64 * len(z)
        rest, _, _ = lapack.dormqr("L", "N", reflectors, self._tau, z[:, 1:].T, room)
        z[:, 1:] = rest.T
        return z
