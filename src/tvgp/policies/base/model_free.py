"""What policies without a model of f share: they learn nothing and ask nothing by default."""

from __future__ import annotations

import numpy as np

from tvgp.contracts import require_observation
from tvgp.policies.base.ucb import NO_ARMS


class ModelFree:
    """Base of the references; subclasses implement `choose`."""

    engine = "none"

    def __init__(self, n_arms: int) -> None:
        self._n_arms = n_arms

    def observe(self, t: int, arm: int, reward: float) -> None:
        """Nothing is learnt from the reward. ValueError for an unknown arm or one not finite."""
        require_observation(t, arm, reward, self._n_arms)

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """No arms."""
        return NO_ARMS

    def observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Nothing is learnt from an expert."""

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """NaN: there is no model of f."""
        unknown = np.full(self._n_arms, np.nan)
        return unknown, unknown
