"""A growing record of a policy's own observations, and tables of functions of their age."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


class History:
    """Arms and values in the order of rounds; `arms` and `values` are views of length n."""

    def __init__(self) -> None:
        self._arms = np.empty(256, dtype=np.intp)
        self._values = np.empty(256)
        self.n = 0

    def append(self, arm: int, value: float) -> None:
        """Add one observation at the end."""
        if self.n == len(self._arms):
            self._arms = np.concatenate([self._arms, np.empty_like(self._arms)])
            self._values = np.concatenate([self._values, np.empty_like(self._values)])
        self._arms[self.n] = arm
        self._values[self.n] = value
        self.n += 1

    @property
    def arms(self) -> np.ndarray:
        """Arms played, oldest first, (n,)."""
        return self._arms[: self.n]

    @property
    def values(self) -> np.ndarray:
        """Values observed, oldest first, (n,)."""
        return self._values[: self.n]


class AgedTable:
    """A function of lag, tabulated once and read as one slice per round, oldest lag first."""

    def __init__(self, function: Callable[[np.ndarray], np.ndarray], memory: float, horizon: int) -> None:
        """memory: first lag that is left out; horizon: number of lags to tabulate initially."""
        self._function = function
        self._memory = memory
        self._table = np.empty(0)
        self._planned = horizon

    def last(self, n: int) -> np.ndarray:
        """Values at lags n-1, ..., 1, 0, without those beyond the memory."""
        n = int(min(n, max(self._memory, 1)))
        if n > len(self._table):
            size = int(min(max(2 * n, self._planned), max(self._memory, 1)))
            self._table = self._function(np.arange(size - 1, -1, -1.0))
        return self._table[len(self._table) - n :]
