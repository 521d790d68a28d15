"""SW-GP-UCB (Zhou & Shroff 2021): GP-UCB on the observations of the last W rounds.

Recommended W = ceil(gamma_T^(1/4) (T / B_T)^(1/2)), with B_T = 1 if it is unknown.

Family: old observations are dropped at set times.
Use it when the rate of change is known and older data are worthless.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp import posterior
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy
from tvgp.posterior import BatchEngine, Prior
from tvgp.theory.schedules import recommended_window


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """window: W in rounds, None for the recommended one; variation_budget: B_T or None."""

    window: int | None = None
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.window is None or self.window >= 1, "window", self.window, "1 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SWGPUCB:
    """SW-GP-UCB on a batch engine, as each round adds an observation and drops one."""
    p = parameters
    window = p.window or recommended_window(prior, noise_variance, p.horizon, p.variation_budget)
    return SWGPUCB(posterior.make_batch(prior, engine=p.engine), p, noise_variance, window)


class SWGPUCB(UpperConfidencePolicy):
    """Keeps the observations of the last `window` rounds."""

    _engine: BatchEngine

    def __init__(
        self, engine: BatchEngine, parameters: UpperConfidenceParameters, noise_variance: float, window: int
    ) -> None:
        super().__init__(engine, parameters)
        self.window = window
        self._noise = noise_variance
        self._history = History()

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._history.append(t, arm, value, noise_variance or self._noise)

    def _refresh(self, t: int) -> None:
        self._age(t)

    def _close(self, t: int) -> None:
        self._age(t)

    def _age(self, now: int) -> None:
        kept = self._history.since(now - self.window + 1)
        arms, values = self._history.arms[kept], self._history.values[kept]
        self._engine.condition(arms, values, self._history.noise[kept])
