"""W-GP-UCB (Deng et al. 2022): exponentially weighted GP regression.

With omega_s = gamma^(t-1-s) (newest 1) and a = (K + lambda diag(1/omega))^-1 k(x):

    mu = a'y,  sigma^2 = k(x, x) - k(x)'a                                (single weight)
    s^2 = a'a + (k(x, x) - 2 a'k + a'K a) / lambda                       (double weight)
    beta = sqrt(lambda) B + R sqrt(2 log(1/delta) + log det(I + Omega K Omega / lambda))

    double: mu + beta s;  single: mu + (beta / sqrt(lambda)) sigma,  s^2 <= sigma^2 / lambda.

Other widths multiply sigma (single) or its counterpart sqrt(lambda) s (double). The width
"information", B + sqrt(2 log(2/delta) + log det), needs single weights: it holds for any posterior
with fixed variances lambda / omega_s (Mauduit25b eq. 12).

`posterior` has sigma, the model's, with either weights; the deviation in use is that of
`confidence_band`, which multiplies it by the width.

This overflow-safe form divides all weights by the newest; lambda = R^2 = the noise variance.
Recommended gamma = 1 - gamma_T^(-1/4) (B_T / T)^(1/2), with B_T = 1 if it is unknown.

Family: old observations fade.
Use it when the rate of change is known and time per round must not grow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp import acquisition, posterior
from tvgp.policies.base.aged_sums import DiscountedSums
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy
from tvgp.posterior import BatchEngine, Prior
from tvgp.theory.schedules import recommended_discount
from tvgp.theory.widths import weighted_width

LEARNS = ("gamma",)


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """width: weighted (the published beta) by default; gamma: discount in (0, 1], None for the
    recommended one; weights: double or single; variation_budget: B_T or None."""

    FORMULAS: ClassVar[tuple[str, ...]] = ("weighted", "information")

    width: float | str = "weighted"
    gamma: float | None = None
    weights: str = "double"
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.gamma is None or 0 < self.gamma <= 1, "gamma", self.gamma, "in (0, 1]")
        require(self.weights in ("double", "single"), "weights", self.weights, "double or single")
        sound = self.width != "information" or self.weights == "single"
        require(sound, "width", self.width, "weighted, logarithmic or a number for double weights")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> WGPUCB:
    """W-GP-UCB on a batch engine, as all weights change each round."""
    p = parameters
    gamma = p.gamma or recommended_discount(prior, noise_variance, p.horizon, p.variation_budget)
    return WGPUCB(posterior.make_batch(prior, engine=p.engine), p, noise_variance, gamma)


class WGPUCB(UpperConfidencePolicy):
    """Discounts the observation of lag s by gamma^s."""

    _engine: BatchEngine
    _parameters: Parameters

    def __init__(
        self, engine: BatchEngine, parameters: Parameters, noise_variance: float, gamma: float
    ) -> None:
        super().__init__(engine, parameters)
        self._noise = noise_variance
        self.gamma = gamma
        self._sums = DiscountedSums(gamma, self._n_arms, columns=2)  # precision and weighted sum
        self._squares = DiscountedSums(gamma**2, self._n_arms)
        # whether the error under the true noise counts, for the deviation or the published width
        self._double = parameters.weights == "double" or parameters.width == "weighted"
        self._newest = 0  # the round at whose end the sums are
        self._log_det = 0.0
        self._double_std = np.sqrt(engine.variance)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        fresh = 1.0 / (noise_variance or self._noise)
        passed = t - self._newest
        self._newest = t
        self._sums.append(arm, fresh, fresh * value, rounds=passed)
        if self._double:
            self._squares.append(arm, fresh, rounds=passed)

    def _age(self, now: int) -> None:
        for sums in (self._sums, self._squares):
            sums.skip(now - self._newest)
        self._newest = now
        self._condition()

    def _close(self, t: int) -> None:
        self._condition()

    def _condition(self) -> None:
        precision, weighted_sum = self._sums.values
        self._engine.condition_sums(precision, weighted_sum)
        if not self._double:
            return
        # lambda s^2 is the estimator's error under the true noise, equal for all observations
        error, self._log_det = self._engine.mismatch_sums(self._squares.values[0])
        self._double_std = np.sqrt(error)

    def _formula(self) -> float:
        p = self._parameters
        if p.width == "information":
            return super()._formula()
        width = weighted_width(p.norm_bound, p.delta, self._log_det, self._noise)
        return width / math.sqrt(self._noise)

    def _best_arm(self, width: float, available: np.ndarray | None) -> int:
        return acquisition.best_arm(self._scores(width), available, self._unit)

    def _std(self) -> np.ndarray:
        if self._parameters.weights == "single":
            return np.sqrt(self._engine.variance)
        return self._double_std
