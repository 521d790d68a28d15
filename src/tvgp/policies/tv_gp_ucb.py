"""TV-GP-UCB (Bogunovic16, Algorithm 2): f_{t+1} = sqrt(1-eps) f_t + sqrt(eps) g_{t+1}.

    mu_{t+1}(x)      = k~(x)' (K o D + sigma^2 I)^-1 y
    sigma^2_{t+1}(x) = k(x, x) - k~(x)' (K o D + sigma^2 I)^-1 k~(x)
    D_ij = (1-eps)^(|i-j|/2),  k~ = k o d,  d_i = (1-eps)^((t+1-i)/2)

(Bogunovic16 eq. 8-9, where d is printed with T+1 for t+1.)

Family: old observations fade.
Use it when the function drifts at a rate that is known or fitted and returns to its prior mean.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp import posterior
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.gp_ucb import GPUCB
from tvgp.posterior import Prior

LEARNS = ("epsilon",)


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """epsilon: rate of change per round; 0 is GP-UCB, 1 discards all data each round.

    The width is logarithmic by default (Bogunovic16, section 5).
    """

    width: float | str = "logarithmic"
    epsilon: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.epsilon <= 1, "epsilon", self.epsilon, "between 0 and 1")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> TVGPUCB:
    """TV-GP-UCB on a sequential engine with the time kernel."""
    engine = posterior.make(
        prior,
        noise_variance,
        horizon=parameters.horizon,
        epsilon=parameters.epsilon,
        engine=parameters.engine,
    )
    return TVGPUCB(engine, parameters)


class TVGPUCB(GPUCB):
    """GP-UCB whose data lose correlation by sqrt(1 - eps) each round."""

    def _age(self, now: int) -> None:
        self._engine.advance(now - self._over)

    def _close(self, t: int) -> None:
        self._engine.advance()
