"""A policy's own observations, with noise variances that grow with age."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tvgp.policies.base.aged_sums import LONG, AgedSums
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import BatchEngine


class AgedData:
    """Observations by round. While every round has one observation, with the usual noise, variances
    come from a table of lags, and over many rounds sums per arm replace the list of observations."""

    def __init__(
        self,
        variance: Callable[[np.ndarray], np.ndarray],
        n_arms: int,
        *,
        longest: int,
        planned: int,
        memory: float = np.inf,
    ) -> None:
        """variance: noise variances at lags (n,); longest: most rounds without a restart; planned:
        number of lags to tabulate initially; memory: first lag that a list leaves out."""
        self._variance, self._memory = variance, memory
        self._fresh = float(variance(np.zeros(1))[0])
        self._usual = True  # whether all observations have the usual noise
        self._table = AgedTable(variance, memory, planned)
        self._history = History()
        self._sums: AgedSums | None = None
        if longest > LONG:
            self._sums = AgedSums(self._precision, n_arms, columns=2)

    def restart(self) -> None:
        """Forget all observations."""
        self._history = History()
        self._usual = True
        if self._sums is not None:
            self._sums.restart()

    def append(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        """Add an observation of round t; noise_variance: when fresh, None for the usual one. What age
        adds to it is the same."""
        extra = 0.0 if noise_variance is None else noise_variance - self._fresh
        self._usual = self._usual and extra == 0.0
        self._history.append(t, arm, value, extra)
        if self._sums is not None and self._tabulated(t):
            self._sums.append(arm, 1.0, value)

    def condition(
        self,
        engine: BatchEngine,
        now: int,
        arms: np.ndarray = NO_ARMS,
        values: np.ndarray = np.empty(0),  # noqa: B008
        noise_variance: float = 1.0,
    ) -> None:
        """Condition the engine on all observations at their ages at the end of round `now`, and on
        other values (n,) of arms (n,) with one noise variance."""
        tabulated = self._tabulated(now)
        if self._sums is not None and tabulated:
            precision, weighted_sum = self._sums.sums()
            if len(arms):
                np.add.at(precision, arms, 1.0 / noise_variance)
                np.add.at(weighted_sum, arms, values / noise_variance)
            engine.condition_sums(precision, weighted_sum)
            return
        if tabulated:
            variances = self._table.last(self._history.n)
            kept = slice(self._history.n - len(variances), None)
        else:
            lags = now - self._history.rounds
            kept = slice(int(np.count_nonzero(lags >= max(self._memory, 1))), None)
            variances = self._variance(lags[kept].astype(float)) + self._history.noise[kept]
        if not len(arms):  # without copies of long lists
            engine.condition(self._history.arms[kept], self._history.values[kept], variances)
            return
        engine.condition(
            np.concatenate([arms, self._history.arms[kept]]),
            np.concatenate([values, self._history.values[kept]]),
            np.concatenate([np.full(len(arms), noise_variance), variances]),
        )

    def _tabulated(self, now: int) -> bool:
        """Whether variances depend on the order of the observations alone."""
        return self._usual and self._history.unbroken(now)

    def _precision(self, lags: np.ndarray) -> np.ndarray:
        return 1.0 / self._variance(lags)
