"""Eigenvalues of a symmetric matrix, and those of its eigenvectors that somebody asks for."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

# Order up to which all eigenvectors are as cheap as some, and up to which small blocks pay.
_SMALL, _BLOCKED = 32, 128


class Spectrum:
    """A = Q T Q' with T = Z diag(values) Z' tridiagonal; eigenvectors are the columns of Q Z.

    Z comes with the values (divide and conquer). Q is a product of reflectors, applied to the
    columns of Z that are asked for: an M-DPP wants M of them.
    """

    def __init__(self, matrix: np.ndarray) -> None:
        """matrix: (n, n), symmetric; it is left as it is."""
        if len(matrix) > _SMALL:
            # Room for blocks of columns: small ones take a quarter less time up to _BLOCKED, larger
            # ones are those of LAPACK's own drivers. Equal eigenvalues, as on a square grid, are
            # told apart by rounding, so that other blocks make other samples of the same law there.
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
        """Rows z of Z' to rows of (Q Z)', in place; Q leaves the first coordinate alone."""
        reflectors, room = self._reflectors[1:, :-1], 64 * len(z)
        rest, _, _ = lapack.dormqr("L", "N", reflectors, self._tau, z[:, 1:].T, room)
        z[:, 1:] = rest.T
        return z
