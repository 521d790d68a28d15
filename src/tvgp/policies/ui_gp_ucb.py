"""UI-GP-UCB: all data, with variance injected by age (Mauduit25b, section 2).

The observation of lag s has noise variance sigma^2 (1 + s^alpha). Independent noise is injected
into old data; this is not UI-TVBO, whose Wiener process acts through the kernel.

Family: old observations fade.
Use it when only the observations age, by a known power of their age.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tvgp import posterior
from tvgp.policies.base.aged_data import AgedData, lag_power
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy
from tvgp.posterior import BatchEngine, Prior

LEARNS = ("alpha",)


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """alpha: drift exponent, positive."""

    alpha: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha > 0, "alpha", self.alpha, "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> UIGPUCB:
    """UI-GP-UCB on a batch engine, as all noise variances change each round."""
    engine = posterior.make_batch(prior, engine=parameters.engine)
    return UIGPUCB(engine, parameters, noise_variance)


def _variance(noise_variance: float, alpha: float, lags: np.ndarray) -> np.ndarray:
    """sigma^2 (1 + lag^alpha)."""
    return noise_variance * (1.0 + lag_power(lags, alpha))


class UIGPUCB(UpperConfidencePolicy):
    """Down-weights observations with age; no weight reaches zero."""

    _engine: BatchEngine
    _parameters: Parameters

    def __init__(self, engine: BatchEngine, parameters: Parameters, noise_variance: float) -> None:
        super().__init__(engine, parameters)
        variance, horizon = partial(_variance, noise_variance, parameters.alpha), parameters.horizon
        self._data = AgedData(variance, self._n_arms, longest=horizon, planned=horizon)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._data.append(t, arm, value, noise_variance)

    def _close(self, t: int) -> None:
        self._age(t)

    def _refresh(self, t: int) -> None:
        self._age(t)

    def _age(self, now: int) -> None:
        self._engine.condition_sums(*self._data.sums(now))
