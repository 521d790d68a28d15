"""Base of the policies without a model of f: by default they learn nothing and ask nothing."""

from __future__ import annotations

import numpy as np

from tvgp.contracts import require_observation
from tvgp.policies.base.policy import BasePolicy


class ModelFree(BasePolicy):
    """Base of the references; subclasses implement `choose`."""

    def observe(self, t: int, arm: int, reward: float) -> None:
        """Learn nothing. ValueError for an arm out of range or a reward that is not finite."""
        require_observation(t, arm, reward, self._n_arms)

    def posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """NaN: there is no model of f."""
        unknown = np.full(self._n_arms, np.nan)
        return unknown, unknown
