"""A growing record of the arms a policy played and what it observed."""

from __future__ import annotations

import numpy as np


class History:
    """Arms and values in order of rounds; `arms` and `values` are views of length n."""

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
