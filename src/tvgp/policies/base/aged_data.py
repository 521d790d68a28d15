"""A policy's own data of one window, whose noise variances grow with age, as an engine takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from tvgp.policies.base.aged_sums import LONG, AgedSums
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import BatchEngine

_NONE = np.empty(0)


class AgedData(Protocol):
    """Observations of consecutive rounds; the newest has lag 0."""

    def append(self, arm: int, value: float) -> None:
        """The observation of the next round."""

    def restart(self) -> None:
        """Forget all observations."""

    def condition(
        self,
        engine: BatchEngine,
        arms: np.ndarray = NO_ARMS,
        values: np.ndarray = _NONE,
        noise_variance: float = 1.0,
    ) -> None:
        """Condition the engine on all observations at their present ages, and on other values (n,) of
        distinct arms (n,) with one noise variance."""


def aged_data(
    variance: Callable[[np.ndarray], np.ndarray],
    n_arms: int,
    *,
    longest: int,
    planned: int,
    memory: float = np.inf,
) -> AgedData:
    """Data whose noise variance at lags >= 0 (n,) is `variance` (n,).

    longest: rounds in a row without a restart; above `LONG` data are kept as sums by arm, which then
    cost less. planned: rounds that variances are tabulated for at first; memory: lags from here on
    may be left out.
    """
    if longest > LONG:
        return _Summed(variance, n_arms)
    return _Listed(variance, memory, planned)


class _Listed:
    """Observations one by one."""

    def __init__(self, variance: Callable[[np.ndarray], np.ndarray], memory: float, planned: int) -> None:
        self._variances = AgedTable(variance, memory, planned)
        self.restart()

    def restart(self) -> None:
        self._history = History()

    def append(self, arm: int, value: float) -> None:
        self._history.append(arm, value)

    def condition(
        self,
        engine: BatchEngine,
        arms: np.ndarray = NO_ARMS,
        values: np.ndarray = _NONE,
        noise_variance: float = 1.0,
    ) -> None:
        variances = self._variances.last(self._history.n)
        kept = slice(self._history.n - len(variances), None)
        engine.condition(
            np.concatenate([arms, self._history.arms[kept]]),
            np.concatenate([values, self._history.values[kept]]),
            np.concatenate([np.full(len(arms), noise_variance), variances]),
        )


class _Summed:
    """Sums by arm of 1/v and y/v, kept up to date."""

    def __init__(self, variance: Callable[[np.ndarray], np.ndarray], n_arms: int) -> None:
        self._sums = AgedSums(lambda lags: 1.0 / variance(lags), n_arms, columns=2)

    def restart(self) -> None:
        self._sums.restart()

    def append(self, arm: int, value: float) -> None:
        self._sums.append(arm, 1.0, value)

    def condition(
        self,
        engine: BatchEngine,
        arms: np.ndarray = NO_ARMS,
        values: np.ndarray = _NONE,
        noise_variance: float = 1.0,
    ) -> None:
        precision, weighted_sum = self._sums.sums()
        precision[arms] += 1.0 / noise_variance
        weighted_sum[arms] += values / noise_variance
        engine.condition_sums(precision, weighted_sum)
