"""The law of data under a policy that is told another drift exponent than the true one."""

from __future__ import annotations

import numpy as np

from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.policies.base.aged_sums import AgedRounds


class MistakenExponent:
    """q per arm, as in `tvgp.ageing.merged`, over own observations and answers."""

    def __init__(self, growth: NoiseGrowth, told: float, n_arms: int) -> None:
        """growth: the true one; told: the exponent that the policy is told."""
        self._growth, self._told = growth, NoiseGrowth(growth.noise_variance, told)
        self._sums = AgedRounds(self._terms, n_arms)
        self._played = 0

    def append(self, arm: int) -> None:
        """The next round's arm is played."""
        self._played += 1
        self.answered(self._played, np.array([arm]))

    def answered(self, t: int, arms: np.ndarray) -> None:
        """Data of round t, of arms (m,); the ages of all data are those of round t until the next."""
        self._sums.add(t, arms, np.ones(len(arms)))

    def sums(self) -> np.ndarray:
        """q, (n_arms,)."""
        # sums of old blocks can round to slightly below 0
        return np.maximum(self._sums.sums()[0], 0.0)

    def _terms(self, lags: np.ndarray) -> np.ndarray:
        """v / w^2 at each lag."""
        return self._growth.variance(lags) / self._told.variance(lags) ** 2
