"""The hot loops of k-DPP and swap chain, compiled by numba; imported only by `tvgp.dpp.fast`.

Same choices as without numba (`tvgp.dpp.projection`, `subsets`, `spectrum`, `swap`): the same random
numbers in the same order, and sums that differ by rounding. Signatures are fixed, so that
importing this module compiles, or loads numba's cache, and no call does. With NumPy's error model a
division by 0 gives an infinity: a check of each would keep loops from being vectorised.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

# Rows of the basis that one pass over the items adds up, and multiple to which these are padded: the
# vectorised loop then has no remainder.
_AT_ONCE, _PADDING = 4, 16

# That of `tvgp.dpp.swap`.
DISAGREEMENT = 1e-6

# Most steps to a root of the secular equation, and its value there, relative to its terms.
_EPS = 2.0**-52
_MOST_STEPS, _ROOT = 60, 16.0 * _EPS


@njit("intp(float64[::1], intp, intp, float64, boolean)", cache=True)
def _search(ascending: np.ndarray, low: int, high: int, target: float, equal: bool) -> int:
    """First place from low on, and before high, with a value above the target, or equal to it; else high."""
    while low < high:
        middle = (low + high) // 2
        value = ascending[middle]
        if value > target or (equal and value == target):
            high = middle
        else:
            low = middle + 1
    return low


@njit("intp(float64[::1], float64[::1], float64)", cache=True)
def _draw(variance: np.ndarray, cumulative: np.ndarray, uniform: float) -> int:
    """First item whose cumulative variance exceeds that share of the whole; N if none does."""
    n, total = len(cumulative), 0.0
    for x in range(n):
        total += variance[x]
        cumulative[x] = total
    return _search(cumulative, 0, n, uniform * total, False)


@njit("intp[::1](float64[:, ::1], float64[::1], intp[::1], boolean)", cache=True)
def sample_projection(
    basis: np.ndarray, uniforms: np.ndarray, twins: np.ndarray, complement: bool
) -> np.ndarray:
    """As `tvgp.dpp.projection.sample_projection`; twins: (N,), empty if all items differ.

    A row of the Cholesky factor is v'B, v (m,), on the items not drawn yet; for P = I - B'B the
    products with earlier rows count with the opposite sign.
    """
    (m, n), count = basis.shape, len(uniforms)
    rows = -(-m // _AT_ONCE) * _AT_ONCE
    width = -(-n // _PADDING) * _PADDING
    table = np.zeros((rows, width))
    for k in range(m):
        for x in range(n):
            table[k, x] = basis[k, x]
    factor = np.empty((count, width))
    vectors = np.empty((count, rows))
    variance = np.zeros(width)
    for k in range(m):
        for x in range(width):
            variance[x] += table[k, x] * table[k, x]
    if complement:
        for x in range(n):
            variance[x] = max(1.0 - variance[x], 0.0)
    cumulative = np.empty(n)
    chosen = np.empty(count, np.intp)
    for size in range(count):
        item = _draw(variance, cumulative, uniforms[size])
        if item == n or variance[item] <= 0.0:  # rounding: of the product, or of a variance
            for x in range(n):
                variance[x] = max(variance[x], 0.0)
            item = _draw(variance, cumulative, uniforms[size])
            while item == n or (item >= 0 and variance[item] <= 0.0):
                item -= 1
            if item < 0:
                raise IndexError("no item has a positive variance")
        chosen[size] = item
        scale = 1.0 / math.sqrt(variance[item])
        vector, new = vectors[size], factor[size]
        for k in range(rows):
            vector[k] = table[k, item]
        for j in range(size):
            known = factor[j, item] if complement else -factor[j, item]
            for k in range(rows):
                vector[k] += known * vectors[j, k]
        for k in range(rows):
            vector[k] *= scale
        for x in range(width):
            new[x] = 0.0
        for k in range(0, rows, _AT_ONCE):
            a, b, c, d = vector[k], vector[k + 1], vector[k + 2], vector[k + 3]
            for x in range(width):
                new[x] += (a * table[k, x] + b * table[k + 1, x]) + (
                    c * table[k + 2, x] + d * table[k + 3, x]
                )
        for x in range(width):
            variance[x] -= new[x] * new[x]
        for j in range(size + 1):  # where a row of the factor is not v'B
            variance[chosen[j]] = 0.0
        if len(twins):
            for x in range(n):
                if twins[x] == twins[item]:
                    variance[x] = 0.0
    return chosen


@njit("void(float64[:, ::1], float64[::1], intp, intp)", cache=True, error_model="numpy")
def extend(table: np.ndarray, weights: np.ndarray, start: int, size: int) -> None:
    """Rows start + 1 to size of the table of `tvgp.dpp.subsets.WeightedSubsets`, from the row above."""
    for m in range(start, size):
        total = 0.0
        for n in range(m, len(weights)):
            total += weights[n] / weights[m] * table[m, n]
            table[m + 1, n + 1] = total


@njit("intp[::1](float64[:, ::1], intp, float64[::1])", cache=True)
def ranks(table: np.ndarray, size: int, uniforms: np.ndarray) -> np.ndarray:
    """As `tvgp.dpp.subsets.WeightedSubsets._ranks`."""
    result = np.empty(size, np.intp)
    n = table.shape[1] - 1
    for m in range(size, 0, -1):
        if n > m:
            row = table[m]
            n = _search(row, m, n, row[n] * uniforms[m - 1], True) - 1
        else:
            n = m - 1
        result[size - m] = n
    return result


@njit(
    "float64(float64[::1], float64[::1], float64[::1], intp[::1], float64[:, ::1])",
    cache=True,
    error_model="numpy",
)
def tridiagonal_vectors(
    d: np.ndarray, e: np.ndarray, values: np.ndarray, index: np.ndarray, out: np.ndarray
) -> float:
    """Eigenvectors of values[index] in rows of `out` (m, n), and a bound on their errors.

    T (n, n) has diagonal d, off-diagonal e and eigenvalues `values` in ascending order. T - lambda is
    factored from the top and from the bottom; the two meet at the row k with the smallest pivot gamma,
    and (T - lambda) z = gamma e_k with z_k = 1 (Dhillon & Parlett 2004, section 2). The bound is the
    largest residual |gamma| / |z| relative to the distance from lambda to its neighbours.
    """
    m, n = out.shape
    tiny = np.finfo(np.float64).tiny
    top, bottom = np.empty((n, m)), np.empty((n, m))
    for i in range(n):
        for j in range(m):
            pivot = d[i] - values[index[j]]
            if i > 0:
                pivot -= e[i - 1] * e[i - 1] / top[i - 1, j]
            top[i, j] = pivot if pivot != 0.0 else tiny
    for i in range(n - 1, -1, -1):
        for j in range(m):
            pivot = d[i] - values[index[j]]
            if i < n - 1:
                pivot -= e[i] * e[i] / bottom[i + 1, j]
            bottom[i, j] = pivot if pivot != 0.0 else tiny
    worst = 0.0
    for j in range(m):
        own = index[j]
        gap = np.inf
        if own > 0:
            gap = values[own] - values[own - 1]
        if own < n - 1:
            gap = min(gap, values[own + 1] - values[own])
        k, gamma = 0, np.inf
        for i in range(n):
            pivot = abs(top[i, j] + bottom[i, j] - (d[i] - values[own]))
            if pivot < gamma:
                k, gamma = i, pivot
        z = out[j]
        z[k] = square = 1.0
        for i in range(k - 1, -1, -1):
            z[i] = -e[i] / top[i, j] * z[i + 1]
            square += z[i] * z[i]
        for i in range(k + 1, n):
            z[i] = -e[i - 1] / bottom[i, j] * z[i - 1]
            square += z[i] * z[i]
        length = math.sqrt(square)
        for i in range(n):
            z[i] /= length
        if not gamma <= worst * gap * length:
            worst = gamma / (gap * length) if gap > 0.0 and length < np.inf else np.inf
    return worst


@njit(
    "void(float64[::1], float64[::1], float64[::1], float64[:, ::1])",
    cache=True,
    error_model="numpy",
    fastmath={"reassoc"},
)
def rank_one(values: np.ndarray, vector: np.ndarray, new: np.ndarray, turn: np.ndarray) -> None:
    """Eigenvalues of diag(values) + z z' for z = `vector`, ascending, and eigenvectors in rows of `turn`.

    Each eigenvalue is the root of 1 + sum_j z_j^2 / (values_j - x) in one interval between two values,
    found as its distance from the nearer one by rational interpolation (Bunch, Nielsen & Sorensen 1978). The
    vectors are those of the z of which the roots are exact, and so orthonormal (Gu & Eisenstat 1994).
    """
    n = len(values)
    squares, poles, from_pole, exact = np.empty(n), np.empty(n), np.empty(n), np.ones(n)
    total = 0.0
    for j in range(n):
        total += vector[j] * vector[j]
    # poles that coincide and weights that vanish are moved by less than rounding
    apart = _EPS * (abs(values[0]) + abs(values[n - 1]) + total)
    for j in range(n):
        squares[j] = max(vector[j] * vector[j], _EPS * _EPS * apart)
        poles[j] = values[j] if j == 0 else max(values[j], poles[j - 1] + apart)
    for i in range(n):
        gap = total + n * apart if i == n - 1 else poles[i + 1] - poles[i]
        for j in range(n):
            from_pole[j] = poles[j] - poles[i]
        origin, low, high, x = poles[i], 0.0, gap, 0.5 * gap
        for step in range(_MOST_STEPS):
            below, below_slope, above, above_slope = 0.0, 0.0, 0.0, 0.0
            for j in range(i + 1):
                w = 1.0 / (from_pole[j] - x)
                below += squares[j] * w
                below_slope += squares[j] * w * w
            for j in range(i + 1, n):
                w = 1.0 / (from_pole[j] - x)
                above += squares[j] * w
                above_slope += squares[j] * w * w
            value = 1.0 + below + above
            if value < 0.0:
                low = x
            else:
                high = x
            if step == 0 and value < 0.0 and i < n - 1:
                origin = poles[i + 1]
                for j in range(n):
                    from_pole[j] = poles[j] - origin
                low, high, x = low - gap, 0.0, x - gap
            if abs(value) <= _ROOT * (1.0 - below + above):
                break
            # c + p / (a - x) + q / (b - x), with the value and the slopes of the two sums
            to_a = from_pole[i] - x
            to_b = 0.0 if i == n - 1 else from_pole[i + 1] - x
            c = value - below_slope * to_a - above_slope * to_b
            p, q = below_slope * to_a * to_a, above_slope * to_b * to_b
            # for the step d: c d^2 - half d + constant = 0
            half, constant = c * (to_a + to_b) + p + q, value * to_a * to_b
            root = math.sqrt(max(half * half - 4.0 * c * constant, 0.0))
            if i == n - 1:
                x += to_a + p / c if c > 0.0 else gap
            elif half > 0.0:
                x += 2.0 * constant / (half + root)
            else:
                x += (half - root) / (2.0 * c)
            if not low < x < high:
                x = 0.5 * (low + high)
                if not low < x < high:
                    break
        new[i] = origin + x
        for j in range(n):
            turn[i, j] = from_pole[j] - x
    for i in range(n - 1):
        for j in range(i + 1):
            exact[j] *= turn[i, j] / (poles[j] - poles[i + 1])
        for j in range(i + 1, n):
            exact[j] *= turn[i, j] / (poles[j] - poles[i])
    for j in range(n):
        exact[j] = math.copysign(math.sqrt(abs(exact[j] * turn[n - 1, j])), vector[j])
    for i in range(n):
        square = 0.0
        for j in range(n):
            turn[i, j] = exact[j] / turn[i, j]
            square += turn[i, j] * turn[i, j]
        scale = 1.0 / math.sqrt(square)
        for j in range(n):
            turn[i, j] *= scale


@njit(
    "intp(float64[:, ::1], float64[:, ::1], float64[::1], intp[::1], intp[::1], intp[::1], intp[::1],"
    " float64[::1], intp, float64, intp)",
    cache=True,
    error_model="numpy",
)
def exchange(
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
    """As `tvgp.dpp.swap._exchange`."""
    m, n = len(inside), len(s)
    own, change, weights = np.empty(m + n), np.empty(m + n), np.empty(m)
    age = 0
    for p in range(position, len(uniforms)):
        i, j = leave[p], outside[enter[p]]
        a = table[i, i]
        variance = s[j] + table[i, m + j] * table[i, m + j] / a
        if not (uniforms[p] < variance * a and variance > floor):
            continue
        # -schur in the last part of the change
        change[m:] = -matrix[j]
        without = table[i]
        back = 0.0
        for k in range(m):
            row = table[k]
            weights[k] = row[m + j] - row[i] / a * without[m + j]
            if k != i:
                known = matrix[j, inside[k]]
                back += known * row[i]
                for x in range(m, m + n):
                    change[x] += known * row[x]
        for x in range(m, m + n):
            change[x] -= back / a * without[x]
        if age > 0 and abs(change[m + j] + variance) > DISAGREEMENT * variance:
            return p
        inside[i], outside[enter[p]] = j, inside[i]
        age += 1
        if age >= most:
            return p + 1
        weights[i] = -1.0
        change[:m] = weights
        for x in range(n):
            s[x] = max(s[x] + without[m + x] ** 2 / a - change[m + x] ** 2 / variance, 0.0)
        for x in range(m + n):
            own[x] = without[x] / a
            change[x] /= variance
        for k in range(m):
            row = table[k]
            left, weight = row[i], weights[k]
            for x in range(m + n):
                row[x] += weight * change[x] - left * own[x]
    return len(uniforms)
