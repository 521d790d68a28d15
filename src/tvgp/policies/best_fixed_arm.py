"""Best fixed arm in hindsight: one arm for the whole run, chosen from the true mean rewards.

It is the arm of least mean regret among those available in at least 95 % of the rounds (all, if there is
none). In the few rounds in which it is not available, the next arm of that kind is played.
"""

from __future__ import annotations

import numpy as np

from tvgp.plugins import NoParameters
from tvgp.policies.preference_order import PreferenceOrder
from tvgp.posterior import Prior

LEAST_SHARE = 0.95


def make(prior: Prior, noise_variance: float, parameters: NoParameters) -> BestFixedArm:
    """The best fixed arm."""
    return BestFixedArm(prior, parameters)


class BestFixedArm(PreferenceOrder):
    """Plays the arm of least mean regret that is nearly always available."""

    def _ranked(self, regret: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Nearly always available arms first, each group by its mean regret."""
        return np.lexsort([regret, share < LEAST_SHARE])
