"""Preference order in hindsight: arms ranked by their true mean regret, the first available one played.

Regret is averaged over the rounds in which an arm is available. Where availability varies, this order
plays several arms and can have less regret than any single one.
"""

from __future__ import annotations

import numpy as np

from tvgp.plugins import NoParameters
from tvgp.policies.base.ordered import Ordered
from tvgp.posterior import Prior


def make(prior: Prior, noise_variance: float, parameters: NoParameters) -> PreferenceOrder:
    """The preference order."""
    return PreferenceOrder(prior, parameters)


class PreferenceOrder(Ordered):
    """Plays the available arm of least mean regret."""

    def foresee(self, mean_rewards: np.ndarray) -> None:
        """Rank the arms by their mean regret over the (last round, n_arms) table."""
        played = mean_rewards[np.isfinite(mean_rewards).any(axis=1)]
        regret = np.nanmax(played, axis=1)[:, None] - played
        seen = np.isfinite(regret)
        rounds = seen.sum(axis=0)
        total = np.where(seen, regret, 0.0).sum(axis=0)
        mean = np.where(rounds > 0, total / np.maximum(rounds, 1), np.inf)
        self._order = self._ranked(mean, rounds / max(len(played), 1))

    def _ranked(self, regret: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Arms in the order of preference, from mean regret and share of rounds with a value, (n_arms,)."""
        return np.argsort(regret, kind="stable")

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """The first available arm of the order. ValueError before `foresee`."""
        if not len(self._order):
            raise ValueError(f"round {t}: the mean rewards are not known yet; call foresee before")
        return super()._choose(t, rng, available)
