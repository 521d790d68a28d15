"""Rexp3 (Besbes, Gur & Zeevi 2014, section 3): Exp3 started again every D rounds; arms without coordinates.

    p_i = (1 - g) w_i / sum w + g / K,   w_i <- w_i exp(g r / (K p_i)) for the arm played,
    D = ceil((K log K)^(1/3) (T / V_T)^(2/3)),  g = min(1, sqrt(K log K / ((e - 1) D))),

D and g as in Theorem 2, for K arms, r in [0, 1] the reward and V_T = sum_t sup |f_{t+1} - f_t| in its unit;
the formulas are unnumbered, and were compared with excerpts of public code alone. Rewards outside the range
are cut off. Where arms are unavailable p is that of the others, rescaled.

Use it when arms have no coordinates and rewards may change adversarially within a known total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.index import IndexParameters
from tvgp.policies.base.model_free import ModelFree
from tvgp.policies.base.policy import prior_means, require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(IndexParameters):
    """low: lower end of the range of rewards, None for the least prior mean minus half its width;
    prior_mean: in reward units, one number or one per arm; horizon: T in rounds; variation_budget: V_T in
    the sup norm and reward units, None for the width of the range."""

    low: float | None = None
    prior_mean: float | tuple[float, ...] = 0.0
    horizon: int = 1000
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.low is None or math.isfinite(self.low), "low", self.low, "finite")
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")
        budget = self.variation_budget
        require(budget is None or budget >= 0, "variation_budget", budget, "0 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> Rexp3:
    """Rexp3."""
    return Rexp3(prior, parameters)


class Rexp3(ModelFree):
    """Exponential weights, reset every `length` rounds."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        p, size = parameters, self._n_arms * math.log(self._n_arms)
        self._scale = p.scale or 4.0 * math.sqrt(float(prior.diagonal.max()))
        least = float(np.min(prior_means(p.prior_mean, prior.n_arms)))
        self._low = least - self._scale / 2.0 if p.low is None else p.low
        budget = 1.0 if p.variation_budget is None else p.variation_budget / self._scale
        batch = size ** (1 / 3) * (p.horizon / max(budget, 1e-12)) ** (2 / 3)
        self.length = max(1, min(p.horizon, math.ceil(batch)))
        self._mix = min(1.0, math.sqrt(size / ((math.e - 1.0) * self.length)))
        self._batch, self._logs = 0, np.zeros(self._n_arms)

    def probabilities(self, t: int, available: np.ndarray | None = None) -> np.ndarray:
        """p of round t, (n_arms,)."""
        logs = self._logs if (t - 1) // self.length == self._batch else np.zeros(self._n_arms)
        weights = np.exp(logs - logs.max())
        p = (1.0 - self._mix) * weights / weights.sum() + self._mix / self._n_arms
        if available is not None:
            p = np.where(available, p, 0.0)
        return p / p.sum()

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        return int(rng.choice(self._n_arms, p=self.probabilities(t, available)))

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        p = self.probabilities(t)[arm]
        if (t - 1) // self.length != self._batch:
            self._batch, self._logs = (t - 1) // self.length, np.zeros(self._n_arms)
        share = min(max((reward - self._low) / self._scale, 0.0), 1.0)
        self._logs[arm] += self._mix * share / (self._n_arms * p)
