"""Exact M-DPP samples from a ground set that grows: one eigenproblem serves many ground sets."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dger, dtrmm

from tvgp.dpp.inputs import EPS, checked_size
from tvgp.dpp.projection import sample_projection
from tvgp.dpp.subsets import WeightedSubsets

# Eigenvalues, relative to the largest k(x, x), that count towards the rank; as in `KDPP`.
_TOLERANCE = 1e-10
# Rejected proposals before the next eigenproblem, which costs as much as some ten of them.
_PATIENCE = 3


class GrowingKDPP:
    """M-DPP of K = B B' over the rows of B (N, r) added so far.

    By Cauchy and Binet det K_ZZ = sum over J of det(B_ZJ)^2, so that the columns J have the law of the
    M-DPP of C = B'B and, given J, the items that of the projection DPP onto the span of the columns J.
    Where the columns of B are orthogonal, Pr(J) = prod_J C_jj / e_M (Kulesza & Taskar 2012, Alg. 1 and 8).
    Here they are at first, being turned by the eigenvectors of C, and nearly so when rows have been added:
    J is proposed by its weights C_jj and accepted with probability det C_JJ / prod_J C_jj, which
    Hadamard's inequality bounds by 1. That is exact for any B; after three rejections the columns are
    turned anew.
    """

    def __init__(self, factor: np.ndarray) -> None:
        """factor: (n_arms, r), the rows that can be added; all of them must differ."""
        self._factor = factor
        rank = factor.shape[1]
        self._scale = 0.0  # the largest k(x, x)
        self._items: list[int] = []
        self._turn = np.eye(rank)
        self._columns = np.empty((rank, 0))  # (B turned)', with room for more items
        self._dual = np.zeros((rank, rank), order="F")  # C
        self._turned = 0  # number of items at the last turn
        self._rank = 0
        self._subsets: WeightedSubsets | None = None

    def add(self, item: int) -> None:
        """Add one row of the factor, not added before, to the ground set."""
        row = self._factor[item] @ self._turn
        n = len(self._items)
        if n == self._columns.shape[1]:
            more = np.empty((len(row), max(n, 64)))
            self._columns = np.concatenate((self._columns, more), axis=1)
        self._columns[:, n] = row
        self._items.append(item)
        self._scale = max(self._scale, float(row @ row))
        self._dual = dger(1.0, row, row, a=self._dual, overwrite_a=1)
        self._subsets = None

    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Sorted numbers of min(size, rank) items, with Pr(Z) proportional to det K_ZZ, for a size below
        that of the ground set. ValueError for a negative size."""
        size, n = checked_size(size), len(self._items)
        if size > self._rank:
            self._rotate()
            size = min(size, self._rank)
        items = np.array(self._items)
        if size == 0:
            return items[:0]
        basis = self._span(size, rng)
        if 2 * size > n:
            kept = np.ones(n, dtype=bool)
            kept[sample_projection(basis, rng.random(n - size), complement=True)] = False
            return np.sort(items[kept])
        return np.sort(items[sample_projection(basis, rng.random(size))])

    def _span(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Orthonormal basis, (M, N), of the span of randomly chosen columns J."""
        rejected = 0
        while True:
            chosen = self._propose(size, rng)
            gram = self._dual[chosen[:, None], chosen]
            lengths = np.sqrt(gram.diagonal())
            gram /= lengths
            gram /= lengths[:, None]
            lower, info = lapack.dpotrf(gram.T, lower=1, clean=1, overwrite_a=1)
            if rng.random() < np.multiply.reduce(lower.diagonal()) ** 2 and not info:
                break
            rejected += 1
            if rejected % _PATIENCE == 0:
                self._rotate()
        inverse, _ = lapack.dtrtri(lower, lower=1)
        basis = self._columns[chosen, : len(self._items)]
        dtrmm(1.0, inverse / lengths, basis.T, side=1, lower=1, trans_a=1, overwrite_b=1)
        return basis

    def _propose(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Columns J with Pr(J) proportional to prod_J C_jj; columns of rounding errors are left out."""
        if self._subsets is None:
            weights = self._dual.diagonal()
            self._usable = (weights > len(self._items) * EPS * weights.max()).nonzero()[0]
            self._subsets = WeightedSubsets(np.log(weights[self._usable]))
        return self._usable[self._subsets.sample(size, rng.random(size))]

    def _rotate(self) -> None:
        """Turn the columns to the eigenvectors of C, if items have been added since the last turn."""
        n = len(self._items)
        if n == self._turned:
            return
        values, vectors = np.linalg.eigh(self._dual)
        self._turn = self._turn @ vectors
        self._columns[:, :n] = (self._factor[self._items] @ self._turn).T
        known = self._columns[:, :n]
        self._dual = np.asfortranarray(known @ known.T)
        self._turned, self._rank = n, int(np.count_nonzero(values > _TOLERANCE * self._scale))
        self._subsets = None
