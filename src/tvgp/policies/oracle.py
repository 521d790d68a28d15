"""Oracle: plays the best available arm of every round; regret 0 by definition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.model_free import ModelFree
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters:
    """None."""


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> Oracle:
    """The oracle."""
    return Oracle(prior, parameters)


class Oracle(ModelFree):
    """Plays the argmax of the true mean rewards."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._table = np.empty((0, prior.n_arms))

    def foresee(self, mean_rewards: np.ndarray) -> None:
        """Receive the (horizon, n_arms) table of f_t(x)."""
        self._table = mean_rewards

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """argmax f_t, exactly. ValueError without the mean rewards of round t."""
        if t > len(self._table):
            raise ValueError(f"round {t}: the oracle knows {len(self._table)} rounds; call foresee before")
        values = self._table[t - 1]
        return int(np.nanargmax(values if available is None else np.where(available, values, np.nan)))
