"""Sums per arm of a function of lag over all rounds so far, without a pass over the rounds.

`DiscountedSums`: w = gamma^lag, in O(1) per round. `AgedSums`: any smooth function, in O(log t)
once per 64 rounds and O(1) in between; `AgedRounds`: the same for rounds with any number of values:

    S_g(t) = sum over rounds s <= t with arm g of w(t - s) y_s

changes in every term each round. Rounds are kept in blocks of sizes b, 2b, 4b, ... that grow with
age, so that a block is at least its own size away from now. There w is a polynomial to rounding:
with c_j the Chebyshev points of a block and L_j their Lagrange polynomials,

    sum over s in block of w(t - s) y_s = sum_j w(t - c_j) m_j,   m_j = sum_s L_j(s) y_s,

where the moments m_j (per arm) never change, and those of two blocks give those of their union. For
w with its nearest singularity at lag 0, such as 1 + s^alpha and its inverse, the error is of order
(3 + sqrt 8)^-16 = 6e-13 of the block's part. Over the next 64 rounds the sum over all blocks is a
polynomial in t to rounding, tabulated from its values at 16 times. (A one-dimensional fast multipole
method, Greengard & Rokhlin 1987.)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

# Number of rounds above which AgedSums are faster than a sum over all rounds.
LONG = 6_000

_NODES = 16
_SMALLEST = 64  # rounds of the smallest block

_CHEBYSHEV = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)


def _lagrange(x: np.ndarray) -> np.ndarray:
    """L_j(x) of the Chebyshev points on [-1, 1], (len(x), 16), by sums of T_k."""
    k = np.arange(_NODES)
    at_points = np.cos(k[:, None] * np.arccos(_CHEBYSHEV))
    at_x = np.cos(np.arccos(np.clip(x, -1.0, 1.0))[:, None] * k)
    at_x[:, 0] *= 0.5
    return at_x @ at_points * (2.0 / _NODES)


def _points(first: int, size: int) -> np.ndarray:
    """Chebyshev points of a block of rounds, (16,)."""
    return first - 0.5 + size * (1.0 + _CHEBYSHEV) / 2.0


# L_j at the rounds of a smallest block, and at the points of the older and newer half of a block.
_ROUNDS = _lagrange((2.0 * np.arange(_SMALLEST) + 1.0) / _SMALLEST - 1.0)
_HALVES = (_lagrange((_CHEBYSHEV - 1.0) / 2.0), _lagrange((_CHEBYSHEV + 1.0) / 2.0))


class AgedSums:
    """S_g(t) for one function of lag and `columns` series of values y."""

    def __init__(self, weight: Callable[[np.ndarray], np.ndarray], n_arms: int, columns: int = 1) -> None:
        """weight: w of an array of lags >= 0, any real numbers."""
        self._weight = weight
        self._n_arms, self._columns = n_arms, columns
        self._recent = np.repeat(weight(np.arange(3.0 * _SMALLEST)[::-1]), columns)
        # round by round, all columns of one; arm + c n_arms in column c, so that one pass sums all columns
        self._arms = np.zeros(3 * _SMALLEST * columns, dtype=np.intp)
        self._values = np.zeros(3 * _SMALLEST * columns)
        self.restart()

    def restart(self) -> None:
        """Forget all rounds."""
        self._held = 0  # rounds not yet in a block
        self.n = 0
        self._blocks: list[tuple[int, int, np.ndarray]] = []  # first round, size, moments
        self._from_blocks = np.empty((0, self._columns * self._n_arms))  # over the rounds to come

    def append(self, arm: int, *values: float) -> None:
        """Add the arm and the values (one per column) of the next round."""
        if self._held == 3 * _SMALLEST:
            self._close_block()
        place = self._held * self._columns
        for value in values:
            self._arms[place] = arm
            self._values[place] = value
            arm += self._n_arms
            place += 1
        self._held += 1
        self.n += 1

    def sums(self) -> np.ndarray:
        """S, (columns, n_arms), at the round of the last value, whose lag is 0."""
        shape, n = (self._columns, self._n_arms), self._held * self._columns
        if not n:
            return np.zeros(shape)
        weighted = self._recent[-n:] * self._values[:n]
        sums = np.bincount(self._arms[:n], weighted, shape[0] * shape[1])
        if self._blocks:
            sums += self._from_blocks[self._held - 2 * _SMALLEST - 1]
        return sums.reshape(shape)

    def _close_block(self) -> None:
        """Move the oldest rounds that are in no block into one; join blocks that are old enough."""
        moments = np.zeros((_NODES, self._columns, self._n_arms))
        columns = self._columns
        oldest = slice(0, _SMALLEST * columns, columns)
        for i in range(columns):
            values = self._values[i:][oldest]
            np.add.at(moments[:, i].T, self._arms[oldest], _ROUNDS * values[:, None])
        self._blocks.append((self.n - self._held, _SMALLEST, moments.reshape(_NODES, -1)))
        self._held -= _SMALLEST
        n = self._held * columns
        self._arms[:n] = self._arms[-n:]
        self._values[:n] = self._values[-n:]
        self._tabulate()

    def _tabulate(self) -> None:
        """Sum over all blocks in the 64 rounds after this one."""
        self._join()
        points = np.concatenate([_points(first, size) for first, size, _ in self._blocks])
        moments = np.concatenate([moments for *_, moments in self._blocks])
        lags = _points(self.n, _SMALLEST)[:, None] - points
        self._from_blocks = _ROUNDS @ (self._weight(lags) @ moments)

    def _join(self) -> None:
        """Join neighbours of equal size if their union is its own size away from now."""
        i = len(self._blocks) - 2
        while i >= 0:
            first, size, older = self._blocks[i]
            second, other, newer = self._blocks[i + 1]
            away = self.n - (first + 2 * size)
            neighbours = size == other and second == first + size
            if neighbours and first % (2 * size) == 0 and away >= 2 * size:
                joined = _HALVES[0].T @ older + _HALVES[1].T @ newer
                self._blocks[i : i + 2] = [(first, 2 * size, joined)]
            i -= 1


class AgedRounds(AgedSums):
    """S_g at a round, for rounds with values of any number of arms, or none; rounds may be skipped."""

    def __init__(self, weight: Callable[[np.ndarray], np.ndarray], n_arms: int, columns: int = 1) -> None:
        super().__init__(weight, n_arms, columns)
        self._recent = weight(np.arange(3.0 * _SMALLEST)[::-1])

    def restart(self) -> None:
        """Forget all rounds."""
        super().restart()
        self._t = 0  # the last round
        # of each round that is in no block: arm + c n_arms in column c, and the values
        self._rounds: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, t: int, arms: np.ndarray, *values: np.ndarray) -> None:
        """Add values (m,), one array per column, of arms (m,) in round t, not before the last."""
        self._advance(t)
        keys, held = self._rounds[-1]
        added = [keys, *(arms + self._n_arms * column for column in range(self._columns))]
        self._rounds[-1] = np.concatenate(added), np.concatenate([held, *values])

    def sums_at(self, t: int) -> np.ndarray:
        """S, (columns, n_arms), at round t, not before the last; 0 without values."""
        if self.n:
            self._advance(t)
        return self.sums()

    def sums(self) -> np.ndarray:
        """S, (columns, n_arms), at the last round."""
        shape = (self._columns, self._n_arms)
        if not self._rounds:
            return np.zeros(shape)
        weights = np.repeat(self._recent[-self._held :], [len(keys) for keys, _ in self._rounds])
        keys, values = (np.concatenate(column) for column in zip(*self._rounds, strict=True))
        # without any, bincount counts in integers
        sums = np.bincount(keys, weights * values, shape[0] * shape[1]).astype(float, copy=False)
        if self._blocks:
            sums += self._from_blocks[self._held - 2 * _SMALLEST - 1]
        return sums.reshape(shape)

    def _advance(self, t: int) -> None:
        """Add rounds without values up to round t."""
        rounds = t - self._t if self.n else 1
        self._t = t
        if rounds > 6 * _SMALLEST:
            # once only blocks hold values, these move back by a multiple of 64 rounds: the times of new
            # values stay small and exact
            self._append(3 * _SMALLEST)
            shift, rounds = divmod(rounds - 3 * _SMALLEST, _SMALLEST)
            moved = [(first - shift * _SMALLEST, size, moments) for first, size, moments in self._blocks]
            self._blocks, newer = moved, self._held - 2 * _SMALLEST
            self.n -= newer
            self._gather()
            self._tabulate()
            self.n += newer
        self._append(rounds)

    def _gather(self) -> None:
        """Join neighbours and all rounds between them if these are their own number away from now: blocks on
        two sides of a pause are never of a kind that `_join` takes."""
        for i in range(len(self._blocks) - 2, -1, -1):
            (first, size, older), (second, other, newer) = self._blocks[i : i + 2]
            whole, ends = second + other - first, (1.0 + _CHEBYSHEV) / 2.0
            if self.n - first >= 2 * whole:
                points = np.array([size * ends, second - first + other * ends]) * (2.0 / whole) - 1.0
                joined = _lagrange(points[0]).T @ older + _lagrange(points[1]).T @ newer
                self._blocks[i : i + 2] = [(first, whole, joined)]

    def _append(self, rounds: int) -> None:
        for _ in range(rounds):
            if self._held == 3 * _SMALLEST:
                self._close_block()
            self._rounds.append((np.empty(0, dtype=np.intp), np.empty(0)))
            self._held += 1
            self.n += 1

    def _close_block(self) -> None:
        """Move the oldest 64 rounds into a block; join blocks that are old enough."""
        size = self._columns * self._n_arms
        oldest, self._rounds = self._rounds[:_SMALLEST], self._rounds[_SMALLEST:]
        table = np.array([np.bincount(keys, values, size) for keys, values in oldest])
        self._blocks.append((self.n - self._held, _SMALLEST, _ROUNDS.T @ table))
        self._held -= _SMALLEST
        self._tabulate()


class DiscountedSums:
    """S_g(t) for w = gamma^lag, by S <- gamma S + y; `values` is (columns, n_arms)."""

    _EVERY = 128  # most rounds between removals of negligible arms

    # Arms are dropped below this share of the smallest value so far of the first column, whose values are
    # positive: they would decay to subnormal numbers.
    _NEGLIGIBLE = 1e-12

    def __init__(self, gamma: float, n_arms: int, columns: int = 1) -> None:
        self._gamma = gamma
        # arms that are dropped late still take part in the products until then
        memory = math.log(self._NEGLIGIBLE) / math.log(gamma) if gamma < 1 else math.inf
        self._every = int(max(1.0, min(memory / 8.0, self._EVERY)))
        self._since = 0
        self._smallest = math.inf
        self.values = np.zeros((columns, n_arms))

    def skip(self, rounds: int) -> None:
        """Rounds without values pass."""
        self.values *= self._gamma**rounds

    def append(self, arm: int, *values: float, rounds: int = 1) -> None:
        """Add the arm and the values (one per column) of the next round, or `rounds` later."""
        self.values *= self._gamma**rounds
        for column, value in enumerate(values):
            self.values[column, arm] += value
        self._since += 1
        self._smallest = min(self._smallest, values[0])
        if self._since >= self._every and self._gamma < 1:
            self.values[:, self.values[0] < self._NEGLIGIBLE * self._smallest] = 0.0
            self._since = 0
