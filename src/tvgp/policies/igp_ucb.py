"""IGP-UCB: all data, a static model, the improved width (Chowdhury & Gopalan 2017).

    x_t = argmax mu_{t-1}(x) + beta_t sigma_{t-1}(x)
    beta_t = B + L sqrt(2 (gamma_{t-1} + 1 + log(1/delta)))

with a posterior regularised by lambda and gamma_{t-1} = 1/2 log det(I + K/lambda) of the data in
use (Janz20 eq. 2). lambda is the policy's noise variance: Janz20 uses 1 in the
experiments and 1 + 2/T in the theory.

Family: nothing is forgotten.
Use it when nothing changes, and the guarantee of Chowdhury & Gopalan is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, static_engine
from tvgp.policies.gp_ucb import GPUCB
from tvgp.posterior import Prior, SequentialEngine
from tvgp.theory.widths import improved_width


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """width: improved (beta_t above) by default; sub_gaussian: L, the noise's sub-Gaussian constant
    in reward units, None for the square root of the noise variance; gain_factor: multiplies gamma in
    beta_t, 1 as published, 2 for a gamma without its 1/2."""

    FORMULAS: ClassVar[tuple[str, ...]] = ("improved",)

    width: float | str = "improved"
    sub_gaussian: float | None = None
    gain_factor: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        good = self.sub_gaussian is None or self.sub_gaussian >= 0
        require(good, "sub_gaussian", self.sub_gaussian, "0 or more")
        require(self.gain_factor >= 0, "gain_factor", self.gain_factor, "0 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> IGPUCB:
    """IGP-UCB on a sequential engine."""
    return IGPUCB(static_engine(prior, noise_variance, parameters), parameters, noise_variance)


class IGPUCB(GPUCB):
    """Keeps all observations."""

    _parameters: Parameters

    def __init__(self, engine: SequentialEngine, parameters: Parameters, noise_variance: float) -> None:
        super().__init__(engine, parameters)
        self._noise_variance = noise_variance

    def information_gain(self) -> float:
        """gamma = 1/2 log det(I + K / lambda) of the data so far."""
        return 0.5 * self._engine.log_det

    def _formula(self) -> float:
        p, regulariser = self._parameters, self._noise_variance
        log_det = self._engine.log_det
        width = improved_width(p.norm_bound, p.delta, log_det, regulariser, p.sub_gaussian, p.gain_factor)
        return float(width)
