"""A policy's own observations, with noise variances that grow with age."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tvgp.policies.base.aged_sums import LONG, AgedSums
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import BatchEngine


class AgedData:
    """Observations of consecutive rounds, the newest of lag 0: a list, or sums by arm where many
    rounds go by without a restart and a list would cost more."""

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
        rounds to tabulate variances for at first; memory: a list leaves out lags from here on."""
        self._table = AgedTable(variance, memory, planned)
        self._history = History()
        self._sums: AgedSums | None = None
        if longest > LONG:
            self._sums = AgedSums(lambda lags: 1.0 / variance(lags), n_arms, columns=2)

    def restart(self) -> None:
        """Forget all observations."""
        self._history = History()
        if self._sums is not None:
            self._sums.restart()

    def append(self, arm: int, value: float) -> None:
        """The observation of the next round."""
        if self._sums is None:
            self._history.append(arm, value)
        else:
            self._sums.append(arm, 1.0, value)

    def condition(
        self,
        engine: BatchEngine,
        arms: np.ndarray = NO_ARMS,
        values: np.ndarray = np.empty(0),  # noqa: B008
        noise_variance: float = 1.0,
    ) -> None:
        """Condition the engine on all observations at their present ages, and on other values (n,)
        of distinct arms (n,) with one noise variance."""
        if self._sums is not None:
            precision, weighted_sum = self._sums.sums()
            precision[arms] += 1.0 / noise_variance
            weighted_sum[arms] += values / noise_variance
            engine.condition_sums(precision, weighted_sum)
            return
        variances = self._table.last(self._history.n)
        kept = slice(self._history.n - len(variances), None)
        engine.condition(
            np.concatenate([arms, self._history.arms[kept]]),
            np.concatenate([values, self._history.values[kept]]),
            np.concatenate([np.full(len(arms), noise_variance), variances]),
        )
