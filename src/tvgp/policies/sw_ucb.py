"""Sliding-window UCB (Garivier & Moulines 2011, section 2.2): arms without coordinates, the latest rounds.

    x_t = argmax m_i + scale sqrt(xi log(min(t, W)) / n_i)

with n_i and m_i number and mean of the rewards of arm i in the last W rounds, xi > 1/2. Compared with the
unnumbered formula of Lattimore & Szepesvari 2020 (section 31.3, note 2), m_i + sqrt(alpha log(min(t, W)) /
n_i): alpha is xi scale^2.

Family: arms without coordinates.
Use it when arms have no coordinates and rewards change suddenly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.history import History
from tvgp.policies.base.index import IndexParameters, IndexPolicy
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(IndexParameters):
    """window: W in rounds; xi: 0.6 in the paper's experiments."""

    window: int = 100
    xi: float = 0.6

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.window >= 1, "window", self.window, "1 or more")
        require(self.xi > 0, "xi", self.xi, "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SlidingWindowUCB:
    """Sliding-window UCB."""
    return SlidingWindowUCB(prior, parameters)


class SlidingWindowUCB(IndexPolicy):
    """Counts and sums over a window."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._window, self._xi, self._history = parameters.window, parameters.xi, History()

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        self._history.append(t, arm, reward)

    def _statistics(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        recent = self._history.since(t - self._window)
        arms, values = self._history.arms[recent], self._history.values[recent]
        return np.bincount(arms, minlength=self._n_arms), np.bincount(arms, values, self._n_arms)

    def _bonus(self, t: int, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """sqrt(xi log(min(t, W)) / n_i)."""
        return np.sqrt(self._xi * np.log(min(t, self._window)) / numbers)
