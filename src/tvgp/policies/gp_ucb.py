"""GP-UCB: all data, a static model (Srinivas et al. 2010; Chowdhury & Gopalan 2017).

x_t = argmax mu_{t-1}(x) + width_t sigma_{t-1}(x). The width is the information width of both
Mauduit papers (Mauduit25b eq. 12), or Bogunovic's sqrt(c1 log(c2 t)).
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy, static_engine
from tvgp.posterior import Prior, SequentialEngine
from tvgp.theory.widths import information_width, logarithmic_width


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """width: information or logarithmic; c1, c2: constants of the logarithmic width."""

    width: str = "information"
    c1: float = 0.8
    c2: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        known = ("information", "logarithmic")
        require(self.width in known, "width", self.width, "information or logarithmic")
        for name in ("c1", "c2"):
            require(getattr(self, name) > 0, name, getattr(self, name), "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> GPUCB:
    """GP-UCB on a sequential engine."""
    return GPUCB(static_engine(prior, noise_variance, parameters), parameters)


def chosen_width(parameters: Parameters, t: int, log_det: float) -> float:
    """The configured width for round t."""
    p = parameters
    if p.width == "logarithmic":
        return logarithmic_width(p.c1, p.c2, t)
    return information_width(p.norm_bound, p.delta, log_det)


class GPUCB(UpperConfidencePolicy):
    """Keeps all observations."""

    _engine: SequentialEngine
    _parameters: Parameters

    def __init__(self, engine: SequentialEngine, parameters: Parameters) -> None:
        super().__init__(engine, parameters)

    def _width(self, t: int) -> float:
        return chosen_width(self._parameters, t, self._engine.log_det)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._engine.observe(arm, value, noise_variance)
