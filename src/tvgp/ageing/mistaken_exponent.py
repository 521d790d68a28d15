"""The law of data under a policy that is told another drift exponent than the true one."""

from __future__ import annotations

import numpy as np

from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.policies.base.history import History


class MistakenExponent:
    """q per arm, as in `tvgp.ageing.merged`, over own observations and answers: O(n) in their number."""

    def __init__(self, growth: NoiseGrowth, told: float, n_arms: int) -> None:
        """growth: the true one; told: the exponent that the policy is told."""
        self._growth, self._told = growth, NoiseGrowth(growth.noise_variance, told)
        self._n_arms = n_arms
        self._history = History()
        self._played = self._now = 0

    def append(self, arm: int) -> None:
        """The next round's arm is played."""
        self._played += 1
        self.answered(self._played, np.array([arm]))

    def answered(self, t: int, arms: np.ndarray) -> None:
        """Data of round t, of arms (m,); the ages of all data are those of round t until the next."""
        self._now = t
        for arm in arms.tolist():
            self._history.append(t, arm, 0.0)

    def sums(self) -> np.ndarray:
        """q, (n_arms,)."""
        lags = (self._now - self._history.rounds).astype(float)
        terms = self._growth.variance(lags) / self._told.variance(lags) ** 2
        return np.bincount(self._history.arms, terms, self._n_arms)
