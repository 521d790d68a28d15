"""R-GP-UCB (Zhou & Shroff 2021): GP-UCB in blocks of H rounds, without data from earlier blocks.

Restarts at t = 1, H+1, 2H+1, ... Recommended H = ceil(gamma_T^(1/4) (T / B_T)^(1/2)), with
B_T = 1 if the variation budget is unknown.

Family: old observations are dropped at set times.
Use it when the rate of change is known and a simple guarantee is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp import posterior
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.gp_ucb import GPUCB
from tvgp.posterior import Prior, SequentialEngine
from tvgp.theory.schedules import recommended_window


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """block_length: H in rounds, None for the recommended one; variation_budget: B_T or None."""

    block_length: int | None = None
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        good = self.block_length is None or self.block_length >= 1
        require(good, "block_length", self.block_length, "1 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> RGPUCB:
    """R-GP-UCB on a sequential engine."""
    p = parameters
    length = p.block_length or recommended_window(prior, noise_variance, p.horizon, p.variation_budget)
    engine = posterior.make(prior, noise_variance, horizon=min(length, p.horizon), engine=p.engine)
    return RGPUCB(engine, p, length)


class RGPUCB(GPUCB):
    """Discards all data every `block_length` rounds."""

    def __init__(self, engine: SequentialEngine, parameters: Parameters, block_length: int) -> None:
        super().__init__(engine, parameters)
        self.block_length = block_length

    def _close(self, t: int) -> None:
        if t % self.block_length == 0:  # round t+1 opens a block
            self._engine.reset()

    def _age(self, now: int) -> None:
        # a block has ended since
        if now // self.block_length != self._over // self.block_length:
            self._engine.reset()
