"""UCB1 (Auer, Cesa-Bianchi & Fischer 2002, Fig. 1): arms without coordinates, all rewards.

    x_t = argmax m_i + scale sqrt(2 log(n) / n_i)

with n_i rewards of arm i, their mean m_i and n of all; the paper's rewards lie in [0, 1]. Its formulas have
no numbers; the index is the loop of Fig. 1.

Family: arms without coordinates.
Use it when arms have no coordinates and nothing changes.
"""

from __future__ import annotations

import numpy as np

from tvgp.policies.base.index import IndexParameters, IndexPolicy
from tvgp.posterior import Prior

Parameters = IndexParameters


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> UCB1:
    """UCB1."""
    return UCB1(prior, parameters)


class UCB1(IndexPolicy):
    """Counts and sums of all rewards."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._numbers, self._totals = np.zeros((2, self._n_arms))

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        self._numbers[arm] += 1.0
        self._totals[arm] += reward

    def _statistics(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        return self._numbers, self._totals

    def _bonus(self, t: int, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """sqrt(2 log(n) / n_i)."""
        return np.sqrt(2.0 * np.log(self._numbers.sum()) / numbers)
