"""The lazy Metropolis chain of single exchanges between sets of one size."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import lapack

from tvgp.dpp.fast import compiled
from tvgp.dpp.inputs import EPS, checked_matrix, checked_size

# Conditional variance, relative to k(x, x), below which the determinant after a swap counts as 0.
_SINGULAR = 1e-12
# Relative difference between two ways of computing a variance from which on they are recomputed.
_DISAGREEMENT = 1e-6
# Accepted swaps between two factorisations from scratch; proposals evaluated at once.
_REFRESH = 50
_BLOCK = 32


def swap_chain(
    kernel_matrix: np.ndarray, start: np.ndarray, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """`steps` steps of the lazy Metropolis chain on sets of size len(start); sorted indices.

    With probability 1/2 nothing happens; else i uniform in Z and j uniform outside Z are swapped
    with probability min(1, det K_Z' / det K_Z) (Burt et al. 2020, Alg. 1; Mauduit25a, App. A,
    Alg. 2). Stationary law: the M-DPP of K.

    With A = K_ZZ^-1, W = A K_Z: and s = diag(K - K_:Z A K_Z:) the ratio is s_j A_ii + W_ij^2
    [Schur complements; Var(j | Z - i) / Var(i | Z - i)], so that a proposal costs O(1) and blocks
    of proposals are evaluated at once; only an accepted swap costs O(N M). A, W and s are recomputed
    after every 50 accepted swaps, and whenever two ways of computing Var(j | Z - i) disagree.

    Swaps to a set whose determinant is 0 to rounding are never accepted. ValueError when the
    determinant of `start` is 0, or when `start` has repeated or unknown items.
    """
    matrix, _ = checked_matrix(kernel_matrix)
    n = len(matrix)
    inside = np.array(start, dtype=np.intp)
    steps = checked_size(steps, "number of steps")
    if inside.ndim != 1 or (len(inside) and not 0 <= inside.min() <= inside.max() < n):
        raise ValueError(f"swap_chain: start must be a list of item numbers in 0..{n - 1}")
    members = np.zeros(n, dtype=bool)
    members[inside] = True
    if np.count_nonzero(members) != len(inside):
        raise ValueError("swap_chain: start has a duplicate item")
    if len(inside) == 0 or len(inside) == n or steps == 0:
        return np.sort(inside)

    outside = np.flatnonzero(~members)
    inside = _walk(matrix, inside, outside, _proposals(steps, len(inside), len(outside), rng))
    return np.sort(inside)


def mixing_steps(n_items: int, size: int, error: float) -> int:
    """Steps after which the chain from the greedy set is within total variation `error` of the M-DPP.

    2 M N (log log(1 / rho) + log(2 / error^2)), with rho >= (M N)^-M the probability of the greedy set
    (Burt et al. 2020, Lemma 9): an upper bound, the same for every kernel. 0 where there is one set
    only. ValueError unless 0 <= M <= N and 0 < error < 1.
    """
    n, m = checked_size(n_items, "number of items"), checked_size(size)
    if m > n:
        raise ValueError(f"mixing_steps: {m} of {n} items; expected a subset")
    if not 0 < error < 1:
        raise ValueError(f"mixing_steps: error is {error}; expected a number between 0 and 1")
    if m in (0, n):
        return 0
    # log log(1 / rho) is below 0 for two items; the distance is then bounded by the other term
    loglog = math.log(max(m * math.log(m * n), 1.0))
    return math.ceil(2 * m * n * (loglog + math.log(2.0 / error**2)))


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
    """The set after all proposals."""
    fast = compiled()
    exchange = fast.exchange if fast else _exchange
    floor, position = _SINGULAR * float(matrix.diagonal().max()), 0
    while True:
        state = (*_conditionals(matrix, inside), inside, outside)
        position = exchange(matrix, *state, *proposals, position, floor, _REFRESH)
        if position >= len(proposals[0]):
            return inside


def _exchange(
    matrix: np.ndarray,
    table: np.ndarray,
    s: np.ndarray,
    inside: np.ndarray,
    outside: np.ndarray,
    leave: np.ndarray,
    enter: np.ndarray,
    uniforms: np.ndarray,
    position: int,
    floor: float,
    most: int,
) -> int:
    """Decide proposals from a position on, in place; the position from which A, W and s must be fresh.

    A and W share one table [A, W], (M, M + N). Compiled if numba is installed (`tvgp.dpp.compiled`).
    """
    m, age = len(inside), 0
    while position < len(uniforms):
        stretch = slice(position, position + _BLOCK)
        rows, columns = leave[stretch], outside[enter[stretch]]
        pivots = table[rows, rows]
        variances = s[columns] + table[rows, m + columns] ** 2 / pivots
        accepted = (uniforms[stretch] < variances * pivots) & (variances > floor)
        hit = int(accepted.argmax())
        if not accepted[hit]:
            position += _BLOCK
            continue
        i, j, a, variance = int(rows[hit]), int(columns[hit]), float(pivots[hit]), float(variances[hit])
        position += hit

        # Without item i: table - column (x) table[i]; then the row of the Schur complement of item j:
        column = table[:, i] / a
        row = matrix[j, inside]
        row[i] = 0.0
        schur = matrix[j] - row @ table[:, m:]
        schur += (row @ column) * table[i, m:]
        if age > 0 and abs(schur[j] - variance) > _DISAGREEMENT * variance:
            return position  # decide this proposal again
        slot = int(enter[position])
        inside[i], outside[slot] = j, inside[i]
        position, age = position + 1, age + 1
        if age >= most:
            return position
        # With item j: both steps form one update of rank 2.
        weights = table[:, m + j] - column * table[i, m + j]
        weights[i] = -1.0
        s += table[i, m:] ** 2 / a
        s -= schur**2 / variance
        np.maximum(s, 0.0, out=s)
        change = np.stack((table[i], np.concatenate((weights, -schur)) / variance))
        table += np.stack((-column, weights), axis=1) @ change
    return position


def _conditionals(matrix: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[A, W] (M, M + N) with A = K_ZZ^-1, W = A K_Z:; s = diag(K - K_:Z A K_Z:) (N,)."""
    cross = matrix[inside]
    lower, info = lapack.dpotrf(cross[:, inside], lower=1, clean=1)
    floor = len(inside) * EPS * float(matrix.diagonal().max())
    if info != 0 or float(lower.diagonal().min()) ** 2 <= floor:
        raise ValueError("swap_chain: the determinant of the current set is 0 to rounding")
    inverse, _ = lapack.dtrtri(lower, lower=1)
    half = inverse @ cross
    s = np.maximum(matrix.diagonal() - np.einsum("ij,ij->j", half, half), 0.0)
    return np.concatenate((inverse.T @ inverse, inverse.T @ half), axis=1), s
