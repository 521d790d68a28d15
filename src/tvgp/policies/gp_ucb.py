"""GP-UCB: all data, a static model (Srinivas et al. 2010; Chowdhury & Gopalan 2017).

x_t = argmax mu_{t-1}(x) + width_t sigma_{t-1}(x), by default with the information width of both
Mauduit papers (Mauduit25b eq. 12).

Family: nothing is forgotten.
Use it when nothing changes.
"""

from __future__ import annotations

from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy, static_engine
from tvgp.posterior import Prior, SequentialEngine

Parameters = UpperConfidenceParameters
LEARNS = ()


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> GPUCB:
    """GP-UCB on a sequential engine."""
    return GPUCB(static_engine(prior, noise_variance, parameters), parameters)


class GPUCB(UpperConfidencePolicy):
    """Keeps all observations."""

    _engine: SequentialEngine

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._engine.observe(arm, value, noise_variance)
