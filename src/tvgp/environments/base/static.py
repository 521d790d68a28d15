"""Functions that do not change with time."""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment


class Static(Environment):
    """One function; subclasses set `_values`, f over all arms, (n_arms,)."""

    _values: np.ndarray

    def mean_rewards(self, t: int) -> np.ndarray:
        """f over all arms, (n_arms,), the same in every round."""
        return self._values

    def variation(self, horizon: int) -> float:
        """B_T = 0: f does not change."""
        return 0.0
