"""Base of the policies without a model of f: by default they learn nothing and make no queries."""

from __future__ import annotations

import numpy as np

from tvgp.policies.base.policy import BasePolicy


class ModelFree(BasePolicy):
    """Base of the references; subclasses implement `_choose`."""

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        """Learn nothing."""

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """NaN: there is no model of f."""
        unknown = np.full(self._n_arms, np.nan)
        return unknown, unknown
