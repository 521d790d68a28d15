"""Subsets of a finite set of items with probability proportional to a determinant: the M-DPP.

For a positive semidefinite kernel matrix K (N, N) over the items, an M-DPP draws Z with |Z| = M
and Pr(Z) = det K_ZZ / e_M(lambda), where lambda are the eigenvalues of K and e_M is the
elementary symmetric polynomial of degree M (Kulesza & Taskar 2012, section 5.2). SparQ-GP-UCB
(Mauduit25a, App. A, Alg. 2-3) takes its expert points from one. Three ways, best first:

- `KDPP`: exact samples by eigenvalues (Kulesza & Taskar 2012, Alg. 1, 7 and 8), the default;
- `swap_chain`: the lazy Metropolis chain of Burt, Rasmussen & van der Wilk 2020 (JMLR 21(131),
  Alg. 1), which converges to the same law;
- `greedy`: the start of that chain, a deterministic set of large determinant.

K has the units of a variance; no result depends on its scale. Items that are equal make the
determinant 0 and never appear together. The random numbers consumed are a function of N, M and
the numerical rank only, and each choice depends on eigenvectors only through the projector they
span, so neither their signs nor the order of equal eigenvalues matters. What remains between
machines is rounding, and the choice of a basis where distinct eigenvectors share an eigenvalue.
"""

from __future__ import annotations

import math
import operator
import threading
from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack

_EPS = np.finfo(float).eps
# Relative size of a negative residual or of an asymmetry that rounding cannot explain.
_INCONSISTENT = 1e-8
# |phi_i - phi_j|^2 / max k(x, x) below which items i and j cannot be told apart: rounding of K.
_EQUAL = 1e-14
# Conditional variance, relative to k(x, x), below which a swap is taken to have determinant 0.
_SINGULAR = 1e-12
# Departure of eigenvectors from orthonormality that changes no probability by more.
_ORTHONORMAL = 1e-8
# Accepted swaps between two factorisations from scratch, proposals evaluated at once.
_REFRESH = 50
_BLOCK = 32
# Largest order of a matrix whose working copy is kept: 8 MB.
_SCRATCH_ORDER = 1000
_THREAD = threading.local()


def greedy(
    kernel_matrix: np.ndarray | Callable[[int], np.ndarray],
    size: int,
    tolerance: float = 1e-10,
    diagonal: np.ndarray | None = None,
) -> np.ndarray:
    """Greedy determinant maximisation: the pivots of an incomplete Cholesky factorisation.

    Repeatedly adds argmax_x k(x, x) - k(x, Z) K_ZZ^-1 k(Z, x) (Burt et al. 2020, section 4.2.2;
    Mauduit25a, App. A, Alg. 2), in O(N M^2). Ties within 1e-9 (relative) go to the lowest index.

    `kernel_matrix` is K (N, N), or a function i -> column K[:, i] (N,) together with
    `diagonal` (N,); then only the columns of the answer are ever computed. `tolerance` is
    relative to the largest k(x, x): no item is added below that residual variance, so that the
    answer may be shorter than `size`.

    Returns indices in the order of choice. ValueError for a negative size, a matrix that is not
    square or not finite.
    """
    size = _checked_size(size)
    if callable(kernel_matrix):
        if diagonal is None:
            raise ValueError("greedy: a kernel given by columns needs `diagonal`, (N,)")
        column = kernel_matrix
        residual = np.array(diagonal, dtype=float)
    else:
        matrix, _ = _checked_matrix(kernel_matrix)
        column = matrix.__getitem__  # rows are columns: K is symmetric
        residual = matrix.diagonal().copy()
    if residual.ndim != 1 or not np.isfinite(residual.sum()):
        raise ValueError("greedy: the diagonal must be a vector of finite numbers")
    n = len(residual)
    size = min(size, n)
    if size == 0:
        return np.empty(0, dtype=np.intp)

    floor = max(tolerance, n * _EPS) * max(float(residual.max()), 0.0)
    factor = np.empty((size, n))
    chosen: list[int] = []
    while len(chosen) < size:
        largest = float(residual.max())
        if largest <= floor:
            break
        pivot = int((residual >= largest * (1.0 - 1e-9)).argmax())
        k = len(chosen)
        chosen.append(pivot)
        new = column(pivot) - factor[:k, pivot] @ factor[:k]
        new /= math.sqrt(residual[pivot])
        factor[k] = new
        residual -= new * new
        residual[pivot] = 0.0
    return np.array(chosen, dtype=np.intp)


def log_elementary_symmetric(values: np.ndarray, size: int) -> float:
    """log e_size(values) for values >= 0; -inf when fewer than `size` of them are positive.

    Kulesza & Taskar 2012, Alg. 7 (the recursion e_m^n = e_m^{n-1} + lambda_n e_{m-1}^{n-1}) on
    the scale of the `size` largest values, so that neither overflow nor underflow can occur.
    """
    size = _checked_size(size)
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or not np.all(values >= 0) or not np.isfinite(values.sum()):
        raise ValueError("log_elementary_symmetric: values must be a vector of finite numbers >= 0")
    positive = values[values > 0]
    if size > len(positive):
        return -math.inf
    return _WeightedSubsets(np.log(positive)).log_polynomial(size)


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
        self._matrix, probe = _checked_matrix(kernel_matrix, symmetry=False)
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
        self._matrix, self._factor = None, factor
        diagonal = np.einsum("ij,ij->i", factor, factor)
        probe = factor @ _weights(factor.shape[1])
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
        self._subsets: _WeightedSubsets | None = None
        self._complements: _WeightedSubsets | None = None

    def _find_twins(self, diagonal: np.ndarray, probe: np.ndarray) -> np.ndarray | None:
        """First item equal to each item, (N,); None when all items differ (the usual case).

        Equal items have equal products with the fixed vector of `_weights`; only items whose
        products nearly coincide are compared in full.
        """
        if self._n < 2:
            return None
        order = probe.argsort()
        close = np.diff(probe[order]) <= 4 * self._n * _EPS * np.abs(probe).max()
        if not close.any():
            return None
        suspects = np.unique(np.concatenate((order[:-1][close], order[1:][close])))
        if self._factor is None:
            gram = self._matrix[np.ix_(suspects, suspects)]
        else:
            gram = self._factor[suspects] @ self._factor[suspects].T
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
        size = _checked_size(size)
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
            complement = basis @ basis.T
            np.negative(complement, out=complement)
            complement.ravel()[:: self._n + 1] += 1.0
            left_out = _sample_projection(
                complement.diagonal(), complement.__getitem__, rng.random(self._n - size), None
            )
            kept = np.ones(self._n, dtype=bool)
            kept[left_out] = False
            return np.flatnonzero(kept)
        chosen = _sample_projection(
            np.einsum("ij,ij->i", basis, basis),
            lambda item: basis @ basis[item],
            rng.random(size),
            self._twins,
        )
        return np.array(sorted(chosen), dtype=np.intp)

    def _decompose(self) -> None:
        """Eigenvalues above rounding, and what `_basis` needs to make eigenvectors of K."""
        if self._subsets is not None:
            return
        if self._factor is None:
            self._factor_matrix()
        if self._factor is None:
            values, vectors = np.linalg.eigh(self._matrix)
        else:
            values, vectors = np.linalg.eigh(self._factor.T @ self._factor)
        largest = max(float(values[-1]), 0.0) if len(values) else 0.0
        if len(values) and values[0] < -_INCONSISTENT * max(largest, self._scale):
            raise ValueError(
                f"KDPP: the kernel matrix is not positive semidefinite, eigenvalue {values[0]:.3g}"
            )
        start = int(np.count_nonzero(values <= self._n * _EPS * largest))
        self._values = values[start:]
        self._vectors = vectors[:, start:]
        self._rank = int(np.count_nonzero(self._values > self._tolerance * self._scale))
        self._subsets = _WeightedSubsets(np.log(self._values))

    def _factor_matrix(self) -> None:
        """B of K = B B' by pivoted Cholesky, kept where its rank makes the dual worth while."""
        if self._n == 0 or self._scale <= 0.0:
            self._factor = np.zeros((self._n, 0))
            return
        # K is symmetric, so its transpose is the Fortran-ordered matrix LAPACK wants. The
        # unblocked routine never updates columns beyond the rank.
        floor = 4 * self._n * _EPS * self._scale
        scratch = _scratch(self._n)
        np.copyto(scratch, self._matrix)
        triangle, pivots, rank, info = lapack.dpstf2(scratch.T, lower=1, tol=floor, overwrite_a=1)
        if info < 0:
            raise ValueError(f"KDPP: pivoted Cholesky refused its argument {-info}")
        if rank > 0.9 * self._n:
            _check_symmetry(self._matrix, self._probe)
            return
        factor = np.empty((self._n, rank))
        factor[pivots[rank:] - 1] = triangle[rank:, :rank]
        factor[pivots[:rank] - 1] = np.tril(triangle[:rank, :rank])
        # Factorisation of an indefinite matrix stops early and leaves something behind.
        rest = self._probe - factor @ (factor.T @ _weights(self._n))
        if np.abs(rest).max() > _INCONSISTENT * self._n * self._scale:
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
            self._complements = _WeightedSubsets(-np.log(self._values))
        kept = np.ones(rank, dtype=bool)
        kept[self._complements.sample(rank - size, rng.random(rank - size))] = False
        return np.flatnonzero(kept)

    def _basis(self, selected: np.ndarray) -> np.ndarray:
        """Orthonormal basis (N, M) of the span of the selected eigenvectors of K."""
        if self._factor is None:
            return self._vectors[:, selected]
        values = self._values[selected]
        basis = self._factor @ (self._vectors[:, selected] / np.sqrt(values))
        # B u / sqrt(lambda) is orthonormal to rounding / lambda; one Cholesky-QR mends it.
        if self._n * _EPS * self._values[-1] < _ORTHONORMAL * values.min():
            return basis
        inverse, info = lapack.dtrtri(np.linalg.cholesky(basis.T @ basis), lower=1)
        return basis @ inverse.T


def swap_chain(
    kernel_matrix: np.ndarray, start: np.ndarray, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """`steps` steps of the lazy Metropolis chain on sets of size len(start); sorted indices.

    With probability 1/2 nothing happens; else i uniform in Z and j uniform outside Z are swapped
    with probability min(1, det K_Z' / det K_Z) (Burt et al. 2020, Alg. 1; Mauduit25a, App. A,
    Alg. 3). Stationary law: the M-DPP of K.

    With A = K_ZZ^-1, W = A K_Z: and s = diag(K - K_:Z A K_Z:) the ratio is s_j A_ii + W_ij^2
    [Schur complements; Var(j | Z - i) / Var(i | Z - i)], so that a proposal costs O(1) and blocks
    of proposals are evaluated at once; only an accepted swap costs O(N M). A, W and s are made
    afresh now and then, and whenever two ways of computing Var(j | Z - i) disagree.

    Swaps to a set whose determinant is 0 to rounding are never accepted. ValueError when that
    of `start` is 0, or when `start` has repeated or unknown items.
    """
    matrix, _ = _checked_matrix(kernel_matrix)
    n = len(matrix)
    inside = np.array(start, dtype=np.intp)
    steps = _checked_size(steps, "number of steps")
    if inside.ndim != 1 or (len(inside) and not 0 <= inside.min() <= inside.max() < n):
        raise ValueError(f"swap_chain: start must be a list of item numbers in 0..{n - 1}")
    members = np.zeros(n, dtype=bool)
    members[inside] = True
    if np.count_nonzero(members) != len(inside):
        raise ValueError("swap_chain: start names an item twice")
    if len(inside) == 0 or len(inside) == n or steps == 0:
        return np.sort(inside)

    outside = np.flatnonzero(~members)
    inside = _walk(matrix, inside, outside, _proposals(steps, len(inside), len(outside), rng))
    return np.sort(inside)


def _proposals(
    steps: int, n_inside: int, n_outside: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Slots to leave, slots to enter and uniforms of the steps that are not lazy."""
    moves = int(rng.binomial(steps, 0.5))
    return (
        rng.integers(n_inside, size=moves),
        rng.integers(n_outside, size=moves),
        rng.random(moves),
    )


def _walk(
    matrix: np.ndarray,
    inside: np.ndarray,
    outside: np.ndarray,
    proposals: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> np.ndarray:
    """The set after all proposals; A and W stand side by side in one table (M, M + N)."""
    leave, enter, uniforms = proposals
    m = len(inside)
    diagonal = matrix.diagonal()
    floor = _SINGULAR * float(diagonal.max())
    table, s = _conditionals(matrix, inside)
    position, age, block = 0, 0, _BLOCK
    while position < len(uniforms):
        stretch = slice(position, position + block)
        i, j = leave[stretch], outside[enter[stretch]]
        a = table[i, i]
        variance = s[j] + table[i, m + j] ** 2 / a
        accepted = (uniforms[stretch] < variance * a) & (variance > floor)
        hit = int(accepted.argmax())
        if not accepted[hit]:
            position += block
            block = _BLOCK
            continue
        i, j, a, variance = int(i[hit]), int(j[hit]), float(a[hit]), float(variance[hit])
        position += hit

        # Without item i: table - column (x) table[i]. Row of the Schur complement of item j there:
        column = table[:, i] / a
        row = matrix[j, inside]
        row[i] = 0.0
        schur = matrix[j] - row @ table[:, m:]
        schur += (row @ column) * table[i, m:]
        if age > 0 and abs(schur[j] - variance) > 1e-6 * variance:
            table, s = _conditionals(matrix, inside)
            age, block = 0, 1  # decide this proposal again
            continue
        slot = int(enter[position])
        inside[i], outside[slot] = j, inside[i]
        position, age, block = position + 1, age + 1, _BLOCK
        if age >= _REFRESH:
            table, s = _conditionals(matrix, inside)
            age = 0
            continue
        # With item j: both steps are one update of rank 2.
        weights = table[:, m + j] - column * table[i, m + j]
        weights[i] = -1.0
        s += table[i, m:] ** 2 / a
        s -= schur**2 / variance
        np.maximum(s, 0.0, out=s)
        rows = np.stack((table[i], np.concatenate((weights, -schur)) / variance))
        table += np.stack((-column, weights), axis=1) @ rows
    return inside


def _conditionals(matrix: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[A, W] (M, M + N) with A = K_ZZ^-1, W = A K_Z:; s = diag(K - K_:Z A K_Z:) (N,)."""
    cross = matrix[inside]
    lower, info = lapack.dpotrf(cross[:, inside], lower=1, clean=1)
    floor = len(inside) * _EPS * float(matrix.diagonal().max())
    if info != 0 or float(lower.diagonal().min()) ** 2 <= floor:
        raise ValueError("swap_chain: the determinant of the current set is 0 to rounding")
    inverse, _ = lapack.dtrtri(lower, lower=1)
    half = inverse @ cross
    s = np.maximum(matrix.diagonal() - np.einsum("ij,ij->j", half, half), 0.0)
    return np.concatenate((inverse.T @ inverse, inverse.T @ half), axis=1), s


class _WeightedSubsets:
    """Random M-subsets J of r weights, Pr(J) proportional to the product of the weights in J.

    The first phase of an M-DPP (Kulesza & Taskar 2012, Alg. 8), also known as conditional
    Poisson sampling. With weights in descending order, row m of the table holds
    e_m(lambda_1..lambda_n) / (lambda_1 ... lambda_m) for n = m..r: every entry lies in
    [1, C(r, m)], whatever the range of the weights, and is a cumulative sum over row m - 1.
    Weights are given by their logarithms, and where C(r, m) could overflow the table holds
    logarithms, too. Rows are made when first needed.
    """

    _MOST_BINOMIAL = 1000  # C(1000, 500) = 2.7e299

    def __init__(self, log_weights: np.ndarray) -> None:
        self._order = np.argsort(-log_weights, kind="stable")
        self._log = log_weights[self._order]
        self._in_logs = len(log_weights) > self._MOST_BINOMIAL
        self._last = np.full(len(log_weights) + 1, 0.0 if self._in_logs else 1.0)
        self._rows = [self._last.tolist()]

    def _extend(self, size: int) -> None:
        start = len(self._rows) - 1
        if start >= size:
            return
        ratios = self._log - self._log[start:size, None]
        if not self._in_logs:
            # Entries left of the diagonal are never read.
            ratios = np.exp(np.minimum(ratios, 0.0, out=ratios), out=ratios)
        last = self._last
        for m in range(start, size):
            if self._in_logs:
                last = np.logaddexp.accumulate(ratios[m - start, m:] + last[:-1])
            else:
                last = (ratios[m - start, m:] * last[:-1]).cumsum()
            self._rows.append(last.tolist())
        self._last = last

    def log_polynomial(self, size: int) -> float:
        """log e_size of all weights."""
        self._extend(size)
        whole = self._rows[size][-1]
        return (whole if self._in_logs else math.log(whole)) + float(self._log[:size].sum())

    def sample(self, size: int, uniforms: np.ndarray) -> np.ndarray:
        """Indices of one subset.

        Among the first n weights with m still to choose, the last one chosen has rank at most
        n' with probability e_m^{n'} / e_m^n: one inverse-CDF look-up a choice, in place of one
        coin a weight.
        """
        self._extend(size)
        n = len(self._log)
        draws = uniforms.tolist()
        ranks = []
        for m in range(size, 0, -1):
            row, u = self._rows[m], draws[m - 1]
            if self._in_logs:
                target = row[n - m] + (math.log(u) if u > 0.0 else -math.inf)
            else:
                target = row[n - m] * u
            n = m + bisect_left(row, target, 0, n - m) - 1
            ranks.append(n)
        return self._order[ranks]


def _sample_projection(
    diagonal: np.ndarray,
    row: Callable[[int], np.ndarray],
    uniforms: np.ndarray,
    twins: np.ndarray | None,
) -> list[int]:
    """One sample of the projection DPP of a projector P of rank len(uniforms).

    Chain rule: each item is drawn with probability proportional to its variance under P given
    those drawn before, P_xx - P_xZ P_ZZ^-1 P_Zx, updated by one new row of an incremental
    Cholesky factor. `diagonal` is that of P, `row(i)` returns P[i], both (N,). Items with the
    same value in `twins` are equal, so that one excludes the others.
    """
    variance = np.array(diagonal)
    np.maximum(variance, 0.0, out=variance)
    count, n = len(uniforms), len(variance)
    factor = np.empty((count, n))
    chosen: list[int] = []
    for k, uniform in enumerate(uniforms.tolist()):
        cumulative = variance.cumsum()
        item = int(cumulative.searchsorted(uniform * cumulative[-1], side="right"))
        if item == n:  # the product was rounded up to the total
            item = int(np.flatnonzero(variance)[-1])
        chosen.append(item)
        if k + 1 == count:
            break
        new = row(item)
        if k:
            new = new - factor[:k, item] @ factor[:k]
        new = np.multiply(new, 1.0 / math.sqrt(variance[item]), out=factor[k])
        variance -= new * new
        np.maximum(variance, 0.0, out=variance)
        variance[item] = 0.0
        if twins is not None:
            variance[twins == twins[item]] = 0.0
    return chosen


def _weights(n: int) -> np.ndarray:
    """Fixed generic vector in [1, 2]: multiples of the golden ratio modulo 1, well spread."""
    return 1.0 + (np.arange(1, n + 1) * 0.6180339887498949) % 1.0


def _checked_size(size: int, what: str = "size") -> int:
    try:
        value = operator.index(size)
    except TypeError:
        value = -1
    if value < 0:
        raise ValueError(f"dpp: the {what} is {size!r}, must be an integer >= 0")
    return value


def _scratch(n: int) -> np.ndarray:
    """Uninitialised (n, n), kept by each thread: fresh pages cost more than the factorisation."""
    if n > _SCRATCH_ORDER:
        return np.empty((n, n))
    if not hasattr(_THREAD, "scratch") or len(_THREAD.scratch) < n * n:
        _THREAD.scratch = np.empty(n * n)
    return _THREAD.scratch[: n * n].reshape(n, n)


def _check_symmetry(matrix: np.ndarray, probe: np.ndarray) -> None:
    difference = _weights(len(matrix)) @ matrix - probe
    if len(matrix) and np.abs(difference).max() > _INCONSISTENT * np.abs(probe).max():
        raise ValueError("dpp: the kernel matrix is not symmetric")


def _checked_matrix(
    kernel_matrix: np.ndarray, symmetry: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The matrix in C order, and its product with `_weights` (which shows NaN and asymmetry)."""
    matrix = np.ascontiguousarray(kernel_matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"dpp: the kernel matrix has shape {matrix.shape}, must be (N, N)")
    probe = matrix @ _weights(len(matrix))
    if not np.isfinite(probe.sum()):
        raise ValueError("dpp: the kernel matrix has entries that are not finite")
    if symmetry:
        _check_symmetry(matrix, probe)
    if len(matrix) and matrix.diagonal().min() < 0.0:
        raise ValueError("dpp: the kernel matrix has a negative variance on its diagonal")
    return matrix, probe
