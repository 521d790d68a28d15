"""IGP-UCB: all data, a static model, the improved width (Chowdhury & Gopalan 2017).

    x_t = argmax mu_{t-1}(x) + beta_t sigma_{t-1}(x)
    beta_t = B + L sqrt(2 (gamma_{t-1} + 1 + log(1/delta)))

with a posterior regularised by lambda and gamma_{t-1} = 1/2 log det(I + K/lambda) of the data in
use (Janz20 eq. 2). lambda is the noise variance that the policy is given: Janz20 has 1 in the
experiments and 1 + 2/T in the theory.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp import posterior
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy, require
from tvgp.posterior import Prior
from tvgp.theory.widths import improved_width


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """sub_gaussian: L, the noise's sub-Gaussian constant in reward units, None for the square root
    of the noise variance; gain_factor: before gamma in the width, 1 as published, 2 for a gamma
    without its 1/2."""

    sub_gaussian: float | None = None
    gain_factor: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        good = self.sub_gaussian is None or self.sub_gaussian >= 0
        require(good, "sub_gaussian", self.sub_gaussian, "0 or more")
        require(self.gain_factor >= 0, "gain_factor", self.gain_factor, "0 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> IGPUCB:
    """IGP-UCB on a sequential engine; above a few thousand arms one that only finds maxima."""
    engine = posterior.make(
        prior,
        noise_variance,
        horizon=parameters.horizon,
        engine=parameters.engine,
        maxima_only=True,
    )
    return IGPUCB(engine, parameters, noise_variance)


class IGPUCB(UpperConfidencePolicy):
    """Keeps every observation for ever."""

    def __init__(self, engine, parameters: Parameters, noise_variance: float) -> None:
        super().__init__(engine, parameters.prior_mean)
        self._parameters = parameters
        self._noise_variance = noise_variance

    def information_gain(self) -> float:
        """gamma = 1/2 log det(I + K / lambda) of the data so far."""
        return 0.5 * self._engine.log_det

    def _width(self, t: int) -> float:
        p = self._parameters
        log_det, regulariser = self._engine.log_det, self._noise_variance
        return improved_width(p.norm_bound, p.delta, log_det, regulariser, p.sub_gaussian, p.gain_factor)

    def _learn(self, t: int, arm: int, value: float) -> None:
        self._engine.observe(arm, value)
