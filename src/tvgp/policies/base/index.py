"""Base of the bandits without coordinates: an index per arm from its own rewards alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.acquisition import best_arm, random_best_arm
from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class IndexParameters:
    """scale: width of the range of rewards, in their units, None for four prior standard deviations, which
    hold 95 % of them."""

    scale: float | None = None

    def __post_init__(self) -> None:
        good = self.scale is None or 0 < self.scale < math.inf
        require(good, "scale", self.scale, "positive")

    def width_of_range(self, prior: Prior) -> float:
        """The width of the range of rewards, in their units."""
        return self.scale or 4.0 * math.sqrt(float(prior.diagonal.max()))


@dataclass(frozen=True)
class DiscountParameters(IndexParameters):
    """gamma: weight of a reward over that of one a round later, in (0, 1]."""

    gamma: float = 0.99

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 < self.gamma <= 1, "gamma", self.gamma, "above 0, at most 1")


class IndexPolicy(ModelFree):
    """x_t = argmax of mean reward + bonus; arms without a reward come first, in random order.

    Subclasses implement `_statistics`, and `_bonus` in units of the scale.
    """

    def __init__(self, prior: Prior, parameters: IndexParameters) -> None:
        super().__init__(prior, parameters)
        self._scale = parameters.width_of_range(prior)

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        numbers, totals = self._statistics(t)
        new = numbers == 0
        if available is not None:
            new &= available
        if new.any():
            return random_best_arm(np.zeros(self._n_arms), rng, new)
        numbers = np.where(numbers > 0, numbers, 1.0)  # of arms that are not available
        scores = totals / numbers + self._scale * self._bonus(t, numbers, rng)
        return best_arm(scores, available, self._unit)

    def _statistics(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Weighted number of rewards of each arm and their weighted sum, (n_arms,) each, before round t."""
        raise NotImplementedError

    def _bonus(self, t: int, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(n_arms,), for numbers above 0."""
        raise NotImplementedError


class DiscountedPolicy(IndexPolicy):
    """Rewards of lag s have weight gamma^s; arms of less than 1e-12 in all count as not played."""

    _NEGLIGIBLE = 1e-12

    def __init__(self, prior: Prior, parameters: DiscountParameters) -> None:
        super().__init__(prior, parameters)
        self._gamma = parameters.gamma
        self._sums = np.zeros((2, self._n_arms))  # numbers and totals at the end of round `_at`
        self._at = 0

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        self._sums *= self._gamma ** (t - self._at)
        self._at = t
        self._sums[:, arm] += 1.0, reward

    def _statistics(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        numbers, totals = self._sums * self._gamma ** max(t - 1 - self._at, 0)
        numbers[numbers < self._NEGLIGIBLE] = 0.0
        return numbers, totals
