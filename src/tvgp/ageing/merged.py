"""Merged engine whose observations have fresh noise in every round.

A posterior depends on the data of an arm only through p = sum 1/w_i and sum y_i / w_i, with w_i the
variances that the policy assumes. Where y_i = f + sqrt(v_i) z_i with independent z_i ~ N(0, 1),

    sum y_i / w_i = p f + sqrt(q) z,  q = sum v_i / w_i^2,  z ~ N(0, 1),

so one normal number per arm and round replaces one per past observation. q = p for a policy that
assumes the true variances.
"""

from __future__ import annotations

import numpy as np

from tvgp.ageing.mistaken_exponent import MistakenExponent
from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.policies.base.aged_sums import AgedSums
from tvgp.policies.base.history import History
from tvgp.posterior import Merged, Prior
from tvgp.streams import NoiseField


class MismatchedPrecision:
    """q per arm for a policy that assumes variances sigma^2 gamma^-lag of its own observations.

    discount: gamma; window: number of most recent observations that the policy keeps, None for all.
    """

    def __init__(
        self, growth: NoiseGrowth, n_arms: int, discount: float = 1.0, window: int | None = None
    ) -> None:
        self._growth, self._n_arms, self._discount = growth, n_arms, discount
        self._window = window
        self._fresh = 1.0 / growth.noise_variance
        self._history = History()
        if window is None:
            self._sums = AgedSums(self._terms, n_arms)
        else:
            self._table = self._terms(np.arange(window - 1, -1, -1.0))  # oldest lag first

    def append(self, arm: int) -> None:
        """One round passes, in which the arm is played."""
        if self._window is None:
            self._sums.append(arm, 1.0)
        else:
            self._history.append(self._history.n + 1, arm, 0.0)

    def sums(self) -> np.ndarray:
        """q, (n_arms,)."""
        if self._window is None:
            # sums of old blocks can round to slightly below 0
            return np.maximum(self._sums.sums()[0], 0.0)
        arms = self._history.arms[-self._window :]
        return np.bincount(arms, self._table[self._window - len(arms) :], self._n_arms)

    def _terms(self, lags: np.ndarray) -> np.ndarray:
        """v / w^2 at each lag."""
        return self._growth.variance(lags) * (self._fresh * self._discount**lags) ** 2


class AgeingMerged(Merged):
    """The posterior for a policy's arms and variances; draws replace the values passed to it."""

    def __init__(
        self,
        prior: Prior,
        growth: NoiseGrowth,
        f: np.ndarray,
        noise: NoiseField,
        mismatch: MismatchedPrecision | MistakenExponent | None = None,
    ) -> None:
        """f: the fixed function, (n_arms,); noise: z by (round, arm), the same for every policy; mismatch:
        None for a policy that assumes the true variances.

        ValueError unless f has one value per arm.
        """
        if f.shape != (prior.n_arms,):
            raise ValueError(f"ageing: f has shape {f.shape}, expected ({prior.n_arms},)")
        super().__init__(prior)
        self.f, self._draws, self._mismatch = f, noise, mismatch
        self._fresh = 1.0 / growth.noise_variance
        self._visits = np.zeros(prior.n_arms)
        self._t = 0

    def begin_round(self, arm: int) -> None:
        """A new round begins, in which the arm is played."""
        self._t += 1
        if self._mismatch is not None:
            self._mismatch.append(arm)

    def answer(self, t: int, arms: np.ndarray) -> np.ndarray:
        """f at arms (m,) that a policy asks about in round t."""
        if isinstance(self._mismatch, MistakenExponent):
            self._mismatch.answered(t, arms)
        return self.f[arms]

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """One more observation, assumed not to age."""
        self._visits[arm] += self._fresh
        self.condition_sums(self._visits, self._visits)

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """Replace the data by draws whose sums 1/v over the data of each arm are p, (n_arms,)."""
        spread = precision if self._mismatch is None else self._mismatch.sums()
        drawn = precision * self.f + np.sqrt(spread) * self._draws.at(
            max(self._t, 1)
        )  # round 1 may have answers
        super().condition_sums(precision, drawn)
