"""Oracle: plays the best available arm of every round; regret 0 by definition.

With a delay of 1 it knows f_{t-1} exactly and plays its maximiser, which is optimal with full
information of the past where f_t given f_{t-1} has mean sqrt(1 - eps) f_{t-1} (Bogunovic16, proof of
Theorem 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.acquisition import random_best_arm
from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters:
    """delay: age in rounds of the function that it knows; in the first `delay` rounds it knows nothing."""

    delay: int = 0

    def __post_init__(self) -> None:
        require(self.delay >= 0, "delay", self.delay, "0 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> Oracle:
    """The oracle."""
    return Oracle(prior, parameters)


class Oracle(ModelFree):
    """Plays the argmax of the true mean rewards, those of an earlier round with a delay."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._delay = parameters.delay
        self._table = np.empty((0, prior.n_arms))

    def foresee(self, mean_rewards: np.ndarray) -> None:
        """Receive the (horizon, n_arms) table of f_t(x)."""
        self._table = mean_rewards
        known = np.isfinite(mean_rewards).any(axis=1)
        self._known = np.maximum.accumulate(np.where(known, np.arange(len(known)), -1))

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """argmax f_{t - delay} among the available arms, exactly, or of the last function before it where a
        record has none; a random arm until it knows one. ValueError without the mean rewards of round t."""
        if t > len(self._table):
            raise ValueError(f"round {t}: the oracle knows {len(self._table)} rounds; call foresee before")
        row = self._known[t - 1 - self._delay] if t > self._delay else -1
        if row < 0:
            return random_best_arm(np.zeros(self._n_arms), rng, available)
        known = self._table[row]
        if available is not None:
            known = np.where(available, np.where(np.isnan(known), -np.inf, known), np.nan)
        return int(np.nanargmax(known))
