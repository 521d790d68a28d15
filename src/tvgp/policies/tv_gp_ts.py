"""TV-GP-TS: Thompson sampling from the posterior of TV-GP-UCB (Bogunovic16 eq. 8-9).

    x_t = argmax of a draw from GP(mu_t, sigma_t^2) for f_t,  f_{t+1} = sqrt(1-eps) f_t + sqrt(eps) g_{t+1}

With eps = 0 it is GP-TS. For G arms and a kernel of rank r over them, a round costs O(r t + t^3 + G r) up to
t = r / 2 observations, then O(r^3 + G r).

Family: old observations fade.
Use it when the function drifts at a known rate, and random choices suit.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp.policies.base.policy import require
from tvgp.policies.base.thompson import SampledPolicy, ThompsonParameters
from tvgp.posterior import MarkovRoot, Prior

LEARNS = ("epsilon",)


@dataclass(frozen=True)
class Parameters(ThompsonParameters):
    """epsilon: rate of change per round; 0 is GP-TS, 1 draws from the prior."""

    epsilon: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.epsilon <= 1, "epsilon", self.epsilon, "between 0 and 1")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> TVGPTS:
    """Thompson sampling from the posterior under the time kernel."""
    return TVGPTS(prior, noise_variance, parameters)


class TVGPTS(SampledPolicy):
    """Keeps all observations, which lose correlation by sqrt(1 - eps) each round."""

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        self._sampler: MarkovRoot = MarkovRoot(prior, noise_variance, parameters.epsilon)

    def _age(self, now: int) -> None:
        self._sampler.advance(now - self._over)

    def _close(self, t: int) -> None:
        self._sampler.advance()
