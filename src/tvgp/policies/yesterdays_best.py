"""Yesterday's best arm with full information: persistence, the forecaster's reference.

After each round all available arms are read, and the next round plays the arm with the highest
reading. There is no model and no memory beyond one round; each reading counts as an evaluation.
"""

from __future__ import annotations

import numpy as np

from tvgp.acquisition import best_arm, random_best_arm
from tvgp.plugins import NoParameters
from tvgp.policies.base.model_free import ModelFree
from tvgp.posterior import Prior


def make(prior: Prior, noise_variance: float, parameters: NoParameters) -> YesterdaysBest:
    """Yesterday's best arm."""
    return YesterdaysBest(prior, parameters)


class YesterdaysBest(ModelFree):
    """Plays the arm that was best in the last round; arms without a reading come last."""

    def __init__(self, prior: Prior, parameters: NoParameters) -> None:
        super().__init__(prior, parameters)
        self._last: np.ndarray | None = None

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """argmax of the last readings; a random arm before the first."""
        if self._last is None:
            return random_best_arm(np.zeros(self._n_arms), rng, available)
        return best_arm(self._last, available, self._unit)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """All available arms."""
        return np.arange(self._n_arms) if available is None else np.flatnonzero(available)

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Keep the readings of this round only."""
        self._last = np.full(self._n_arms, np.min(values) - self._unit)
        self._last[arms] = values
