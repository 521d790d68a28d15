"""Base of the policies that draw an arm by exponential weights, started again in every batch of rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.index import IndexParameters
from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class ExponentialWeightsParameters(IndexParameters):
    """prior_mean: in reward units, one number or one per arm; horizon: T in rounds; variation_budget: V_T in
    the sup norm and reward units, None for the width of the range."""

    prior_mean: float | tuple[float, ...] = 0.0
    horizon: int = 1000
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")
        budget = self.variation_budget
        require(budget is None or budget >= 0, "variation_budget", budget, "0 or more")


class ExponentialWeights(ModelFree):
    """p_i = (1 - g) w_i / sum w + g / K, reset every `length` = (N log K)^(1/3) (T / V_T)^(2/3) rounds.

    N is the number of arms, or what takes its place; subclasses set g, `_mix`, and implement `_observe`.
    Where arms are unavailable p is that of the others, rescaled.
    """

    _mix: float

    def __init__(self, prior: Prior, parameters: ExponentialWeightsParameters, dimension: float) -> None:
        super().__init__(prior, parameters)
        p = parameters
        self._scale = p.width_of_range(prior)
        budget = 1.0 if p.variation_budget is None else p.variation_budget / self._scale
        size = dimension * math.log(self._n_arms)
        batch = size ** (1 / 3) * (p.horizon / max(budget, 1e-12)) ** (2 / 3)
        self.length = max(1, min(p.horizon, math.ceil(batch)))
        self._batch, self._logs = 0, np.zeros(self._n_arms)
        self._round, self._p = 0, np.zeros(self._n_arms)  # of the last choice, and what it was drawn from

    def probabilities(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """p of round t, (n_arms,)."""
        logs = self._logs if (t - 1) // self.length == self._batch else np.zeros(self._n_arms)
        weights = np.exp(logs - logs.max())
        p = (1.0 - self._mix) * weights / weights.sum() + self._mix / self._n_arms
        if available is not None:
            p = np.where(available, p, 0.0)
        return p / p.sum()

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        self._round, self._p = t, self.probabilities(t, available)
        return int(rng.choice(self._n_arms, p=self._p))

    def _drawn_from(self, t: int, arm: int) -> np.ndarray:
        """p that the arm played in round t was drawn from: without it estimates of f would be biased where
        arms are unavailable. That of all arms if somebody else chose the arm."""
        return self._p if t == self._round and self._p[arm] > 0.0 else self.probabilities(t)

    def _start_batch(self, t: int) -> None:
        """Forget the batches before that of round t."""
        if (t - 1) // self.length != self._batch:
            self._batch, self._logs = (t - 1) // self.length, np.zeros(self._n_arms)
