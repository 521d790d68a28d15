"""Eigenvalues of a symmetric matrix, and those of its eigenvectors that somebody asks for."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

# Order up to which, and share of the eigenvectors above which, all of them are as cheap as some.
_SMALL, _SHARE = 32, 0.6


class Spectrum:
    """A = Q T Q' with T = Z diag(values) Z' tridiagonal; eigenvectors are the columns of Q Z.

    Z comes with the values (divide and conquer). Q is a product of reflectors, applied to the
    columns that are asked for first and, when others are asked for, to all: an M-DPP that is
    sampled once wants M of them.
    """

    def __init__(self, matrix: np.ndarray) -> None:
        """matrix: (n, n), symmetric; it is left as it is."""
        self._asked = False
        self._all: np.ndarray | None = None  # eigenvectors in rows
        if len(matrix) > _SMALL:
            # room for blocks, as LAPACK's own drivers have: equal eigenvalues are told apart by
            # rounding, and should be in one way
            room = 64 * len(matrix)
            self._reflectors, d, e, self._tau, _ = lapack.dsytrd(matrix.T, lower=1, lwork=room)
            self.values, z, info = lapack.dstevd(d, e)
            if not info:
                self._z = z.T
                return
        self.values, vectors = np.linalg.eigh(matrix)
        self._all = np.ascontiguousarray(vectors.T)

    def vectors(self, index: np.ndarray) -> np.ndarray:
        """Eigenvectors of values[index] in rows, (len(index), n)."""
        if self._all is None:
            if not self._asked and len(index) < _SHARE * len(self.values):
                self._asked = True
                return self._by_q(self._z[index])
            self._all = self._by_q(self._z)
        return self._all[index]

    def _by_q(self, z: np.ndarray) -> np.ndarray:
        """Rows z of Z' to rows of (Q Z)', in place; Q leaves the first coordinate alone."""
        reflectors, room = self._reflectors[1:, :-1], 64 * len(z)
        rest, _, _ = lapack.dormqr("L", "N", reflectors, self._tau, z[:, 1:].T, room)
        z[:, 1:] = rest.T
        return z
