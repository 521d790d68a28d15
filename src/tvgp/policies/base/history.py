"""A growing record of a policy's own observations."""

from __future__ import annotations

import numpy as np


class History:
    """Rounds, arms, values and noise in the order of rounds; the properties are views of length n.

    A round may have several observations.
    """

    def __init__(self) -> None:
        self._rounds = np.zeros(256, dtype=np.int64)
        self._arms = np.zeros(256, dtype=np.intp)
        self._values = np.zeros(256)
        self._noise = np.zeros(256)
        self.clear()

    def clear(self) -> None:
        """Forget all observations."""
        self.n = 0
        self._first = self._last = 0  # rounds of the first and the last observation
        self._repeats = False  # whether any round has several observations

    def append(self, t: int, arm: int, value: float, noise: float = 0.0) -> None:
        """Add an observation of round t, not before the last one. noise: its variance, or another
        number that describes it."""
        if self.n == len(self._arms):
            self._rounds = np.concatenate([self._rounds, np.zeros_like(self._rounds)])
            self._arms = np.concatenate([self._arms, np.zeros_like(self._arms)])
            self._values = np.concatenate([self._values, np.zeros_like(self._values)])
            self._noise = np.concatenate([self._noise, np.zeros_like(self._noise)])
        n = self.n
        if n == 0:
            self._first = t
        elif t == self._last:
            self._repeats = True
        self._rounds[n] = self._last = t
        self._arms[n] = arm
        self._values[n] = value
        self._noise[n] = noise
        self.n = n + 1

    @property
    def rounds(self) -> np.ndarray:
        """Rounds observed, oldest first, (n,)."""
        return self._rounds[: self.n]

    def since(self, first: int) -> slice:
        """The observations of round `first` and later."""
        if self.unbroken(self._last):
            return slice(min(max(first - self._first, 0), self.n), self.n)
        return slice(int(self.rounds.searchsorted(first)), self.n)

    def unbroken(self, now: int) -> bool:
        """Whether every round from the first observation to `now` has exactly one."""
        return not self.n or not self._repeats and now - self._first + 1 == self.n

    @property
    def arms(self) -> np.ndarray:
        """Arms played, oldest first, (n,)."""
        return self._arms[: self.n]

    @property
    def values(self) -> np.ndarray:
        """Values observed, oldest first, (n,)."""
        return self._values[: self.n]

    @property
    def noise(self) -> np.ndarray:
        """Their noise as it was given, oldest first, (n,)."""
        return self._noise[: self.n]
