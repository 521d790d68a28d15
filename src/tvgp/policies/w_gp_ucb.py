"""W-GP-UCB (Deng et al. 2022): exponentially weighted GP regression.

With omega_s = gamma^(t-1-s) (newest 1) and a = (K + lambda diag(1/omega))^-1 k(x):

    mu = a'y,  sigma^2 = k(x, x) - k(x)'a                                (single weight)
    s^2 = a'a + (k(x, x) - 2 a'k + a'K a) / lambda                       (double weight)
    beta = sqrt(lambda) B + R sqrt(2 log(1/delta) + log det(I + Omega K Omega / lambda))

    double: mu + beta s;  single: mu + (beta / sqrt(lambda)) sigma,  s^2 <= sigma^2 / lambda.

This overflow-safe form divides all weights by the newest; lambda = R^2 = the noise variance.
Recommended gamma = 1 - gamma_T^(-1/4) (B_T / T)^(1/2), B_T dropped where it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.history import History
from tvgp.posterior import Dense, Merged, Prior
from tvgp.theory import recommended_discount
from tvgp.ucb import UpperConfidenceParameters, UpperConfidencePolicy, require
from tvgp.widths import weighted_width

# Weights below this share of the newest change nothing in float64.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """gamma: discount in (0, 1], None for the recommended one; weights: double or single."""

    gamma: float | None = None
    weights: str = "double"
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.gamma is None or 0 < self.gamma <= 1, "gamma", self.gamma, "in (0, 1]")
        require(self.weights in ("double", "single"), "weights", self.weights, "double or single")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> WGPUCB:
    """W-GP-UCB; the weights change each round, so arms are merged."""
    p = parameters
    gamma = p.gamma or recommended_discount(prior, noise_variance, p.horizon, p.variation_budget)
    if p.engine == "dense":
        return WGPUCB(_DenseWeighted(prior), p, noise_variance, gamma)
    return WGPUCB(_MergedWeighted(posterior.make_batch(prior, engine=p.engine)), p,
                  noise_variance, gamma)


class WGPUCB(UpperConfidencePolicy):
    """Discounts the observation of lag s by gamma^s."""

    def __init__(self, engine, parameters: Parameters, noise_variance: float, gamma: float) -> None:
        super().__init__(engine, parameters.prior_mean)
        self._parameters = parameters
        self._noise = noise_variance
        self.gamma = gamma
        memory = parameters.horizon
        if gamma < 1:
            memory = 1 + int(np.log(_NEGLIGIBLE) / np.log(gamma))
        self._omega = gamma ** np.arange(min(memory, parameters.horizon), dtype=float)[::-1]
        self._history = History()

    def _learn(self, t: int, arm: int, value: float) -> None:
        self._history.append(arm, value)
        n = min(self._history.n, len(self._omega))
        self._engine.condition_weighted(
            self._history.arms[-n:], self._history.values[-n:], self._omega[-n:], self._noise
        )

    def _width(self, t: int) -> float:
        p = self._parameters
        log_det = self._engine.weighted_log_det
        width = weighted_width(p.norm_bound, p.delta, log_det, self._noise)
        return width if p.weights == "double" else width / np.sqrt(self._noise)

    def _std(self) -> np.ndarray:
        if self._parameters.weights == "single":
            return np.sqrt(self._engine.variance)
        return np.sqrt(self._engine.double_variance)


class _MergedWeighted:
    """Single- and double-weight moments from per-arm sums of omega and omega^2."""

    def __init__(self, engine: Merged) -> None:
        self._engine = engine
        self.weighted_log_det = 0.0
        self._double = None

    def __getattr__(self, name: str):
        return getattr(self._engine, name)

    def condition_weighted(self, arms, values, omega, noise) -> None:
        n_arms = len(self._engine.mean)
        p = np.bincount(arms, omega, n_arms) / noise
        q = np.bincount(arms, omega * omega, n_arms)
        self._engine.condition_on_sums(p, np.bincount(arms, omega * values, n_arms) / noise)
        self.weighted_log_det = self._engine.information(q / noise)
        self._sums, self._noise, self._double = (p, q), noise, None

    @property
    def double_variance(self) -> np.ndarray:
        if self._engine.n == 0:
            return self._engine.variance / self._noise if hasattr(self, "_noise") else (
                self._engine.variance)
        if self._double is None:
            # a's = b_g (omega_s / lambda) / p_g turns the formula above into
            # (sigma^2 - sum_g b_g^2 (1/p_g - q_g / (lambda p_g^2))) / lambda
            p, q = self._sums
            seen = p > 0
            discount = np.zeros_like(p)
            discount[seen] = 1.0 / p[seen] - q[seen] / (self._noise * p[seen] ** 2)
            s2 = self._engine.weighted_variance(discount) / self._noise
            self._double = np.maximum(s2, 0.0)
        return self._double
