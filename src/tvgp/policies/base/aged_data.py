"""A policy's own observations, with noise variances that grow with age."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tvgp.policies.base.aged_sums import LONG, AgedSums
from tvgp.policies.base.history import History


def lag_power(lags: np.ndarray, alpha: float) -> np.ndarray:
    """lag^alpha; infinite beyond float64, where data weigh nothing."""
    with np.errstate(over="ignore"):
        return np.asarray(lags) ** alpha


class AgedData:
    """Observations by round. While every round has one observation, with the usual noise, precisions
    come from a table of lags, and over many rounds sums per arm replace the list of observations."""

    def __init__(
        self,
        variance: Callable[[np.ndarray], np.ndarray],
        n_arms: int,
        *,
        longest: int,
        planned: int,
    ) -> None:
        """variance: noise variances at lags (n,); longest: most rounds without a restart; planned:
        number of lags to tabulate initially."""
        self._variance, self._n_arms = variance, n_arms
        self._fresh = float(variance(np.zeros(1))[0])
        self._usual = True  # whether all observations have the usual noise
        self._table, self._planned = np.empty(0), planned  # precisions by lag, the oldest first
        self._history = History()
        self._sums: AgedSums | None = None
        if longest > LONG:
            self._sums = AgedSums(self._precision, n_arms, columns=2)

    def restart(self) -> None:
        """Forget all observations."""
        self._history.clear()
        self._usual = True
        if self._sums is not None:
            self._sums.restart()

    def append(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        """Add an observation of round t; noise_variance: when fresh, None for the usual one. What age
        adds to it is the same."""
        extra = 0.0
        if noise_variance is not None:
            extra = noise_variance - self._fresh
            self._usual = self._usual and extra == 0.0
        self._history.append(t, arm, value, extra)
        if self._sums is not None and self._tabulated(t):
            self._sums.append(arm, 1.0, value)

    def sums(self, now: int) -> tuple[np.ndarray, np.ndarray]:
        """Precision and weighted sum per arm, (n_arms,) each, at the end of round `now`: sum 1/v_i and
        sum y_i/v_i. The caller may overwrite them."""
        tabulated, data = self._tabulated(now), self._history
        if not data.n:
            return np.zeros(self._n_arms), np.zeros(self._n_arms)
        if tabulated and self._sums is not None:
            precision, weighted_sum = self._sums.sums()
            return precision, weighted_sum
        if tabulated:
            precisions = self._last(data.n)
        else:
            precisions = 1.0 / (self._variance((now - data.rounds).astype(float)) + data.noise)
        weighted_sum = np.bincount(data.arms, precisions * data.values, self._n_arms)
        return np.bincount(data.arms, precisions, self._n_arms), weighted_sum

    def _last(self, n: int) -> np.ndarray:
        """Precisions at lags n-1, ..., 1, 0, from the table."""
        if n > len(self._table):
            self._table = self._precision(np.arange(max(2 * n, self._planned) - 1, -1, -1.0))
        return self._table[len(self._table) - n :]

    def _tabulated(self, now: int) -> bool:
        """Whether variances depend on the order of the observations alone."""
        return self._usual and self._history.unbroken(now)

    def _precision(self, lags: np.ndarray) -> np.ndarray:
        return 1.0 / self._variance(lags)
