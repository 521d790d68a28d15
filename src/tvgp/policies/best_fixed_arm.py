"""Best fixed arm in hindsight: one arm for the whole run, chosen from the true mean rewards.

If availability varies, arms are ranked by their mean regret over the rounds in which they are
available, and each round plays the best-ranked available arm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import NO_ARMS
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters:
    """None."""


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> BestFixedArm:
    """The best fixed arm."""
    return BestFixedArm(prior, parameters)


class BestFixedArm(ModelFree):
    """Plays the arm of least mean regret."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._ranking = NO_ARMS

    def foresee(self, mean_rewards: np.ndarray) -> None:
        """Rank the arms by their mean regret over the (horizon, n_arms) table."""
        regret = np.nanmax(mean_rewards, axis=1)[:, None] - mean_rewards
        seen = np.isfinite(regret)
        total = np.where(seen, regret, 0.0).sum(axis=0)
        rounds = seen.sum(axis=0)
        mean = np.where(rounds > 0, total / np.maximum(rounds, 1), np.inf)
        self._ranking = np.argsort(mean, kind="stable")

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """The best-ranked available arm. ValueError before `foresee`."""
        if not len(self._ranking):
            raise ValueError(f"round {t}: the best fixed arm is not known yet; call foresee before")
        if available is None:
            return int(self._ranking[0])
        return int(self._ranking[available[self._ranking]][0])
