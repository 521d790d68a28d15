"""Exact M-DPP samples through eigenvalues (Kulesza & Taskar 2012, Alg. 1, 7 and 8)."""

from __future__ import annotations

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

# |phi_i - phi_j|^2 / max k(x, x) below which items i and j cannot be told apart: rounding of K.
_EQUAL = 1e-14
# Departure of eigenvectors from orthonormality that changes no probability by more.
_ORTHONORMAL = 1e-8


class KDPP:
    """Exact M-DPP over the items of one kernel matrix, for any number of samples and sizes.

    The eigenproblem is solved at the first sample that needs it and kept, as are the tables of
    elementary symmetric polynomials: make one object for each ground set. An incomplete Cholesky
    factorisation K = B B' (N, r), complete to rounding, finds the numerical rank r first; where
    r < N the r x r dual B'B is decomposed in place of K (Kulesza & Taskar 2012, section 3.3).

    A sample costs O(M r) for the choice of eigenvectors (their Alg. 8) and O(N M min(M, N - M))
    for the items: the chain rule of the projection DPP with an incremental Cholesky factor, run
    on the items left out when these are fewer (the complement of a projection DPP is the DPP of
    the complementary projector).

    Sizes are capped at the number of eigenvalues above `tolerance` times the largest k(x, x).
    The eigenvalues below still take part in the choice, down to the rounding level of K.
    """

    def __init__(self, kernel_matrix: np.ndarray, tolerance: float = 1e-10) -> None:
        self._matrix, probe = checked_matrix(kernel_matrix, symmetry=False)
        self._factor: np.ndarray | None = None
        self._prepare(self._matrix.diagonal(), probe, tolerance)

    @classmethod
    def from_factor(cls, factor: np.ndarray, tolerance: float = 1e-10) -> KDPP:
        """The M-DPP of K = B B' from B (N, r), without forming K where r < N."""
        factor = np.ascontiguousarray(factor, dtype=float)
        if factor.ndim != 2:
            raise ValueError(f"KDPP: the factor has shape {factor.shape}, must be (N, r)")
        if factor.shape[1] >= factor.shape[0]:
            if not np.isfinite(factor.sum()):
                raise ValueError("KDPP: the factor has entries that are not finite")
            return cls(factor @ factor.T, tolerance)
        self = cls.__new__(cls)
        self._matrix, self._factor = None, factor.T
        diagonal = np.einsum("ij,ij->i", factor, factor)
        probe = factor @ probe_weights(factor.shape[1])
        if not np.isfinite(probe.sum()):
            raise ValueError("KDPP: the factor has entries that are not finite")
        self._prepare(diagonal, probe, tolerance)
        return self

    def _prepare(self, diagonal: np.ndarray, probe: np.ndarray, tolerance: float) -> None:
        self._n = len(diagonal)
        self._scale = float(diagonal.max()) if self._n else 0.0
        self._tolerance = tolerance
        self._probe = probe
        self._twins = self._find_twins(diagonal, probe)
        self._subsets: WeightedSubsets | None = None
        self._complements: WeightedSubsets | None = None

    def _find_twins(self, diagonal: np.ndarray, probe: np.ndarray) -> np.ndarray | None:
        """First item equal to each item, (N,); None when all items differ (the usual case).

        Equal items have equal products with the fixed vector of `probe_weights`; only items whose
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
    def rank(self) -> int:
        """Largest size that can be sampled short of all items: eigenvalues above tolerance."""
        self._decompose()
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
        self._decompose()
        size = min(size, self._rank)
        if size == 0:
            return np.empty(0, dtype=np.intp)
        basis = self._basis(self._select(size, rng))
        if 2 * size > self._n and self._twins is None:
            left_out = sample_projection(basis, rng.random(self._n - size), complement=True)
            kept = np.ones(self._n, dtype=bool)
            kept[left_out] = False
            return np.flatnonzero(kept)
        chosen = sample_projection(basis, rng.random(size), self._twins)
        return np.array(sorted(chosen), dtype=np.intp)

    def _decompose(self) -> None:
        """Eigenvalues above rounding, and what `_basis` needs to make eigenvectors of K."""
        if self._subsets is not None:
            return
        if self._factor is None:
            self._factor_matrix()
        symmetric = self._matrix if self._factor is None else self._factor @ self._factor.T
        self._spectrum = Spectrum(symmetric)
        values = self._spectrum.values
        largest = max(float(values[-1]), 0.0) if len(values) else 0.0
        if len(values) and values[0] < -INCONSISTENT * max(largest, self._scale):
            raise ValueError(
                f"KDPP: the kernel matrix is not positive semidefinite, eigenvalue {values[0]:.3g}"
            )
        start = int(np.count_nonzero(values <= self._n * EPS * largest))
        self._values = values[start:]
        self._rank = int(np.count_nonzero(self._values > self._tolerance * self._scale))
        self._subsets = WeightedSubsets(np.log(self._values))

    def _factor_matrix(self) -> None:
        """T of K = T'T by pivoted Cholesky, kept where its rank makes the dual worth while."""
        if self._n == 0 or self._scale <= 0.0:
            self._factor = np.zeros((0, self._n))
            return
        floor = 4 * self._n * EPS * self._scale
        factor = incomplete_cholesky(self._matrix, floor, int(0.9 * self._n))
        if factor is None:
            check_symmetry(self._matrix, self._probe)
            return
        # Factorisation of an indefinite matrix stops early and leaves something behind.
        rest = self._probe - (factor @ probe_weights(self._n)) @ factor
        if np.abs(rest).max() > INCONSISTENT * self._n * self._scale:
            raise ValueError("KDPP: the kernel matrix is not symmetric positive semidefinite")
        self._factor = factor

    def _select(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Eigenvectors of the elementary DPP to sample, with Pr(J) = prod_J lambda / e_M.

        A regular K with few eigenvectors to leave out chooses those, by weights 1 / lambda.
        """
        rank = self._rank
        if 2 * size <= rank or rank < len(self._values):
            return self._subsets.sample(size, rng.random(size))
        if self._complements is None:
            self._complements = WeightedSubsets(-np.log(self._values))
        kept = np.ones(rank, dtype=bool)
        kept[self._complements.sample(rank - size, rng.random(rank - size))] = False
        return np.flatnonzero(kept)

    def _vectors(self, selected: np.ndarray) -> np.ndarray:
        """Eigenvectors of the selected ones among `_values`, in rows."""
        return self._spectrum.vectors(selected + (len(self._spectrum.values) - len(self._values)))

    def _basis(self, selected: np.ndarray) -> np.ndarray:
        """Orthonormal basis (M, N) of the span of the selected eigenvectors of K."""
        if self._factor is None:
            return self._vectors(selected)
        values = self._values[selected]
        basis = (self._vectors(selected) / np.sqrt(values)[:, None]) @ self._factor
        # T'u / sqrt(lambda) is orthonormal to rounding / lambda; one Cholesky-QR mends it.
        if self._n * EPS * self._values[-1] < _ORTHONORMAL * values.min():
            return basis
        inverse, info = lapack.dtrtri(np.linalg.cholesky(basis @ basis.T), lower=1)
        return inverse @ basis
