"""UI-GP-UCB: all data, with variance injected by age (Mauduit25b, section 2).

The observation of lag s has noise variance sigma^2 (1 + s^alpha). Independent noise is injected
into old data; this is not UI-TVBO, whose Wiener process acts through the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.policies.base.aged_sums import LONG, AgedSums
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy, require
from tvgp.posterior import Prior
from tvgp.theory.widths import information_width

# Weights below this share of the newest change nothing in float64.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """alpha: drift exponent, positive."""

    alpha: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha > 0, "alpha", self.alpha, "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> UIGPUCB:
    """UI-GP-UCB; all noise variances change each round, so that repeated arms are merged."""
    engine = posterior.make_batch(prior, engine=parameters.engine)
    return UIGPUCB(engine, parameters, noise_variance)


class UIGPUCB(UpperConfidencePolicy):
    """Trusts old observations less and less, never not at all."""

    def __init__(self, engine, parameters: Parameters, noise_variance: float) -> None:
        super().__init__(engine, parameters.prior_mean)
        self._parameters = parameters
        self._history = History()
        alpha = parameters.alpha
        self._sums: AgedSums | None = None
        if parameters.horizon > LONG:
            self._sums = AgedSums(
                lambda lags: 1.0 / (noise_variance * (1.0 + lags**alpha)),
                len(engine.mean),
                columns=2,
            )
        self._aged = AgedTable(
            lambda lags: noise_variance * (1.0 + lags**alpha),
            np.exp(min(-np.log(_NEGLIGIBLE) / alpha, 700.0)),
            parameters.horizon,
        )

    def _learn(self, t: int, arm: int, value: float) -> None:
        if self._sums is not None:
            self._sums.append(arm, 1.0, value)
            self._engine.condition_sums(*self._sums.sums())
            return
        self._history.append(arm, value)
        variances = self._aged.last(self._history.n)
        n = len(variances)
        self._engine.condition(self._history.arms[-n:], self._history.values[-n:], variances)

    def _width(self, t: int) -> float:
        p = self._parameters
        return information_width(p.norm_bound, p.delta, self._engine.log_det)
