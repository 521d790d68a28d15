"""Rexp3 (Besbes, Gur & Zeevi 2014, section 3): Exp3 started again every D rounds; arms without coordinates.

    p_i = (1 - g) w_i / sum w + g / K,   w_i <- w_i exp(g r / (K p_i)) for the arm played,
    D = ceil((K log K)^(1/3) (T / V_T)^(2/3)),  g = min(1, sqrt(K log K / ((e - 1) D))),

D and g as in Theorem 2, for K arms, r in [0, 1] the reward and V_T = sum_t sup |f_{t+1} - f_t| in its unit;
the formulas are unnumbered, and were compared with excerpts of public code alone. Rewards outside the range
are cut off. Where arms are unavailable p is that of the others, rescaled.

Family: an adversary chooses.
Use it when arms have no coordinates and rewards may change adversarially within a known total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.exponential_weights import ExponentialWeights, ExponentialWeightsParameters
from tvgp.policies.base.policy import prior_means, require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(ExponentialWeightsParameters):
    """low: lower end of the range of rewards, None for the least prior mean minus half its width."""

    low: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.low is None or math.isfinite(self.low), "low", self.low, "finite")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> Rexp3:
    """Rexp3."""
    return Rexp3(prior, parameters)


class Rexp3(ExponentialWeights):
    """The reward of the arm played, over its probability, is the estimate of f."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters, prior.n_arms)
        least = float(np.min(prior_means(parameters.prior_mean, prior.n_arms)))
        self._low = least - self._scale / 2.0 if parameters.low is None else parameters.low
        size = self._n_arms * math.log(self._n_arms)
        self._mix = min(1.0, math.sqrt(size / ((math.e - 1.0) * self.length)))

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        p = self._drawn_from(t, arm)[arm]
        self._start_batch(t)
        share = min(max((reward - self._low) / self._scale, 0.0), 1.0)
        self._logs[arm] += self._mix * share / (self._n_arms * p)
