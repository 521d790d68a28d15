"""UI-GP-UCB with an expert: all own observations and all answers, with their true variances.

No data are dropped, so no posterior does better with the same queries.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.expert import ExpertParameters, ExpertPolicy
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """alpha: drift exponent."""

    alpha: float = 1.0


class KeepAll(ExpertPolicy):
    """Queries a k-DPP sample of the arms played, at predetermined rounds."""

    def __init__(
        self,
        prior: Prior,
        noise_variance: float,
        parameters: Parameters,
        starts: np.ndarray,
        sizes: np.ndarray,
    ) -> None:
        """starts, sizes: as in `tvgp.ageing.planned`, also where rounds are skipped."""
        super().__init__(prior, noise_variance, parameters)
        self._starts, self._sizes = starts, sizes
        self._start, self._next_start = 0, int(starts[0])
        self._history = History()
        alpha = parameters.alpha
        self._aged = AgedTable(lambda lags: noise_variance * (1.0 + lags**alpha), np.inf, parameters.horizon)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """At a start, past inputs that are available in this round; otherwise none."""
        if t != self._start:
            return NO_ARMS
        return self._subset.draw(int(self._sizes[self._starts <= t][-1]), rng, available)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._subset.add(arm)
        if t >= self._next_start:
            later = self._starts[self._starts > t]
            self._start, self._next_start = t, int(later[0]) if len(later) else sys.maxsize
        self._history.append(t, arm, value)

    def _close(self, t: int) -> None:
        self._age(t)

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        for arm, value in zip(arms.tolist(), values.tolist(), strict=True):
            self._history.append(t, arm, value)
        self._age(t)

    def _age(self, now: int) -> None:
        variances = self._aged.last(now)[self._history.rounds - 1]
        self._engine.condition(self._history.arms, self._history.values, variances)
