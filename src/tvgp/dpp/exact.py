"""Exact M-DPP samples through eigenvalues (Kulesza & Taskar 2012, Alg. 1, 7 and 8)."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import lapack

from tvgp.dpp.cholesky import incomplete_cholesky
from tvgp.dpp.inputs import (
    EPS,
    INCONSISTENT,
    check_symmetry,
    checked_matrix,
    checked_size,
    probe_weights,
)
from tvgp.dpp.projection import sample_projection
from tvgp.dpp.spectrum import Spectrum
from tvgp.dpp.subsets import WeightedSubsets

# |phi_i - phi_j|^2 / max k(x, x) below which items i and j are equal up to rounding of K.
_EQUAL = 1e-14
# Eigenvalues, relative to the largest k(x, x), that count towards the rank.
_TOLERANCE = 1e-10
# Allowed error of probabilities: departure of eigenvectors from orthonormality, and the total
# variation distance caused by omitted rows of a factor.
_ORTHONORMAL = 1e-8
_NEGLIGIBLE = 1e-8


class KDPP:
    """Exact M-DPP over the items of one kernel matrix, for any number of samples and sizes.

    The eigenproblem is solved at the first sample that needs it and kept, as are the tables of
    elementary symmetric polynomials: make one object per ground set. An incomplete Cholesky
    factorisation K = B B', B (N, r), complete to rounding, first finds the numerical rank r; where
    r < N the r x r dual B'B is decomposed instead of K (Kulesza & Taskar 2012, section 3.3). The
    last columns of B matter for large samples only. With K = H H' + E, H the first columns, every
    det K_ZZ is at least that of H H', so that the two laws of M items differ in total variation by

        1 - e_M(H H') / e_M(K) <= trace(E) e_{M-1}(H H') / e_M(H H').

    H is used wherever the right-hand side is below 1e-8.

    A sample costs O(M r) for the choice of eigenvectors (their Alg. 8) and O(N M min(M, N - M))
    for the items: the chain rule of the projection DPP with an incremental Cholesky factor, run
    on the items left out when these are fewer (the complement of a projection DPP is the DPP of
    the complementary projector).

    Sizes are capped at the number of eigenvalues above 1e-10 times the largest k(x, x).
    The eigenvalues below still take part in the choice, down to the rounding level of K.

    >>> distance = np.subtract.outer(np.arange(11.0), np.arange(11.0))
    >>> KDPP(np.exp(-(distance**2) / 18.0)).sample(3, np.random.default_rng(0))
    array([0, 7, 9])
    """

    _factor: np.ndarray | None
    _dual: np.ndarray | None
    _subsets: WeightedSubsets

    def __init__(self, kernel_matrix: np.ndarray) -> None:
        self._matrix, probe = checked_matrix(kernel_matrix, symmetry=False)
        self._factor, self._dual = None, None
        self._prepare(self._matrix.diagonal(), probe)

    @classmethod
    def from_factor(
        cls,
        factor: np.ndarray,
        *,
        dual: np.ndarray | None = None,
        diagonal: np.ndarray | None = None,
        distinct: bool = False,
        before: KDPP | None = None,
        added: np.ndarray | None = None,
    ) -> KDPP:
        """The M-DPP of K = B B' from B (N, r), without forming K where r < N.

        dual, diagonal: B'B (r, r) and k(x, x) (N,) if the caller has them; distinct: True if the
        caller knows that all items differ, which skips the check; before, added: the M-DPP of all items
        but some, and the rows of these, (m, r), so that its eigenproblem need not be solved again.
        """
        factor = np.ascontiguousarray(factor, dtype=float)
        if factor.ndim != 2:
            raise ValueError(f"KDPP: the factor has shape {factor.shape}, must be (N, r)")
        if factor.shape[1] >= factor.shape[0]:
            if not np.isfinite(factor.sum()):
                raise ValueError("KDPP: the factor has entries that are not finite")
            return cls(factor @ factor.T)
        self = cls.__new__(cls)
        self._matrix, self._factor, self._dual = np.empty((0, 0)), factor.T, dual
        if diagonal is None:
            diagonal = np.einsum("ij,ij->i", factor, factor)
        if not math.isfinite(diagonal.sum()):
            raise ValueError("KDPP: the factor has entries that are not finite")
        probe = None if distinct else factor @ probe_weights(factor.shape[1])
        self._prepare(diagonal, probe)
        if before is not None and added is not None and before._solved and before._left_out:
            self._before = before._spectrum, added
        return self

    def _prepare(self, diagonal: np.ndarray, probe: np.ndarray | None) -> None:
        """probe: product of K or B with `probe_weights`, None where all items differ."""
        self._n = len(diagonal)
        self._scale = float(diagonal.max()) if self._n else 0.0
        self._probe = probe
        self._twins = None if probe is None else self._find_twins(diagonal, probe)
        self._left_out = 0.0  # trace(E)
        self._solved = False
        self._before: tuple[Spectrum, np.ndarray] | None = None
        self._complements: WeightedSubsets | None = None

    def _find_twins(self, diagonal: np.ndarray, probe: np.ndarray) -> np.ndarray | None:
        """First item equal to each item, (N,); None when all items differ (the usual case).

        Equal items have equal products with the fixed vector `probe_weights`; only items whose
        products nearly coincide are compared in full.
        """
        if self._n < 2:
            return None
        ordered = np.sort(probe)
        least = 4 * self._n * EPS * max(-ordered[0], ordered[-1])
        close = ordered[1:] - ordered[:-1] <= least
        if not close.any():
            return None
        order = probe.argsort()
        suspects = np.unique(np.concatenate((order[:-1][close], order[1:][close])))
        if self._factor is None:
            gram = self._matrix[np.ix_(suspects, suspects)]
        else:
            gram = self._factor[:, suspects].T @ self._factor[:, suspects]
        squared = diagonal[suspects, None] + diagonal[suspects] - 2.0 * gram
        first = suspects[(squared <= _EQUAL * self._scale).argmax(axis=1)]
        if np.array_equal(first, suspects):
            return None
        twins = np.arange(self._n)
        twins[suspects] = first
        return twins

    @property
    def distinct(self) -> bool:
        """Whether no two items are equal."""
        return self._twins is None

    @property
    def rank(self) -> int:
        """Largest sample size below N: the number of eigenvalues above tolerance."""
        self._decompose(self._n)
        return self._rank

    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Sorted indices of min(size, rank) items, with Pr(Z) proportional to det K_ZZ.

        A size of N or more returns all items (the first of each group of equal ones) without
        any decomposition. ValueError for a negative size or an indefinite K.
        """
        size = checked_size(size)
        if size >= self._n:
            every = np.arange(self._n)
            return every if self._twins is None else np.unique(self._twins)
        if size == 0:
            return np.empty(0, dtype=np.intp)
        self._decompose(size)
        size = min(size, self._rank)
        if size == 0:
            return np.empty(0, dtype=np.intp)
        basis = self._basis(self._select(size, rng))
        if 2 * size > self._n and self._twins is None:
            left_out = sample_projection(basis, rng.random(self._n - size), complement=True)
            kept = np.ones(self._n, dtype=bool)
            kept[left_out] = False
            return np.flatnonzero(kept)
        items = sample_projection(basis, rng.random(size), self._twins)
        items.sort()
        return items

    def _decompose(self, size: int) -> None:
        """Eigenvalues above rounding, and what `_basis` needs to compute eigenvectors of K, for
        samples of this size."""
        if not self._solved:
            if self._factor is None:
                self._factor_matrix()
            if self._factor is None:
                self._solve(self._matrix)
            else:
                if self._dual is None:
                    self._dual = self._factor @ self._factor.T
                if not math.isfinite(self._dual.trace()):
                    raise ValueError("KDPP: the dual has entries that are not finite")
                rows = self._head(self._dual, size)
                if self._before is not None:  # as many as before, if these suffice
                    rows = max(rows, len(self._before[0].values))
                self._solve_dual(rows)
        if self._left_out and not self._suffices(size):
            self._solve_dual(None)

    @staticmethod
    def _head(dual: np.ndarray, size: int) -> int:
        """Estimated number of rows of the factor that samples of this size need, from the squared
        norms of the rows, which approximate the eigenvalues."""
        squares = dual.diagonal()
        if size >= len(squares):
            return len(squares)
        tails = squares[::-1].cumsum()[::-1]
        return int(np.count_nonzero(tails > 0.1 * _NEGLIGIBLE * np.sort(squares)[-size]))

    def _suffices(self, size: int) -> bool:
        """Whether these rows give samples of this size the law of all rows; bound as above."""
        if size > self._rank:
            return False
        return math.log(self._left_out / _NEGLIGIBLE) <= self._subsets.log_growth(size)

    def _solve_dual(self, rows: int | None) -> None:
        """Decompose the dual of the first rows of the factor, None for all."""
        assert self._factor is not None and self._dual is not None
        self._used = self._factor[:rows]
        self._left_out = float(self._dual.diagonal()[len(self._used) :].sum())
        self._solve(self._dual[:rows, :rows])

    def _solve(self, symmetric: np.ndarray) -> None:
        if self._before is not None and self._left_out:
            spectrum, added = self._before
            self._spectrum = spectrum.grown(symmetric, added[:, : len(symmetric)])
        else:
            self._spectrum = Spectrum(symmetric, leading=self._left_out > 0.0)
        self._before = None
        values = self._spectrum.values
        largest = max(float(values[-1]), 0.0) if len(values) else 0.0
        if len(values) and values[0] < -INCONSISTENT * max(largest, self._scale):
            raise ValueError(
                f"KDPP: the kernel matrix is not positive semidefinite, eigenvalue {values[0]:.3g}"
            )
        self._values = values[values.searchsorted(self._n * EPS * largest, "right") :]
        small = self._values.searchsorted(_TOLERANCE * self._scale, "right")
        self._rank = len(self._values) - int(small)
        self._subsets = WeightedSubsets(self._values)
        self._solved = True
        # selected eigenvectors of K in rows, and the row of each; see `_basis`
        self._vectors = np.empty((0, self._n))
        self._place = np.full(len(self._values), -1)

    def _factor_matrix(self) -> None:
        """T of K = T'T by pivoted Cholesky, kept where its rank makes the dual cheaper."""
        if self._n == 0 or self._scale <= 0.0:
            self._factor = np.zeros((0, self._n))
            return
        floor = 4 * self._n * EPS * self._scale
        factor = incomplete_cholesky(self._matrix, floor, int(0.9 * self._n))
        assert self._probe is not None
        if factor is None:
            check_symmetry(self._matrix, self._probe)
            return
        # The factorisation of an indefinite matrix stops early and leaves a residual.
        rest = self._probe - (factor @ probe_weights(self._n)) @ factor
        if np.abs(rest).max() > INCONSISTENT * self._n * self._scale:
            raise ValueError("KDPP: the kernel matrix is not symmetric positive semidefinite")
        self._factor = factor

    def _select(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Eigenvectors of the elementary DPP to sample, that of the smallest value first, with
        Pr(J) = prod_J lambda / e_M.

        If K is regular and few eigenvectors are left out, those are sampled, by weights 1 / lambda.
        """
        rank = self._rank
        if 2 * size <= rank or rank < len(self._values) or self._left_out:
            return self._subsets.sample(size, rng.random(size))
        if self._complements is None:
            self._complements = WeightedSubsets(1.0 / self._values)
        kept = np.ones(rank, dtype=bool)
        kept[self._complements.sample(rank - size, rng.random(rank - size))] = False
        return np.flatnonzero(kept)

    def _basis(self, selected: np.ndarray) -> np.ndarray:
        """Orthonormal basis (M, N) of the span of the selected eigenvectors of K.

        Computed at first selection and kept: samples share most of them.
        """
        new = selected[self._place[selected] < 0]
        if len(new):
            vectors = self._spectrum.vectors(new + len(self._spectrum.values) - len(self._values))
            if self._factor is not None:
                vectors = (vectors / np.sqrt(self._values[new])[:, None]) @ self._used
            known = len(self._vectors)
            self._place[new] = np.arange(known, known + len(new))
            self._vectors = np.concatenate([self._vectors, vectors]) if known else vectors
        basis = self._vectors[self._place[selected]] if len(new) < len(selected) else vectors
        # T'u / sqrt(lambda) is orthonormal to rounding / lambda; one Cholesky-QR step restores it.
        least = self._values.item(selected.item(0))
        if self._factor is None or self._n * EPS * self._values[-1] < _ORTHONORMAL * least:
            return basis
        inverse, info = lapack.dtrtri(np.linalg.cholesky(basis @ basis.T), lower=1)
        return inverse @ basis
