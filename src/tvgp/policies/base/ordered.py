"""Base of the policies that play the first available arm of an order."""

from __future__ import annotations

import numpy as np

from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import Prior


class Ordered(ModelFree):
    """Base of the references with an order; subclasses set `_order`, the arms by preference, (n_arms,)."""

    def __init__(self, prior: Prior, parameters: object) -> None:
        super().__init__(prior, parameters)
        self._order = NO_ARMS

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """The first available arm of the order."""
        if available is None:
            return int(self._order[0])
        return int(self._order[available[self._order]][0])
