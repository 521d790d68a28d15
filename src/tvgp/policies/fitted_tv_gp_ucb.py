"""TV-GP-UCB whose rate of change is fitted in every round, after dynamic Bayesian optimisation (Kim & Sergi).

Of the candidates eps the one with the largest marginal likelihood of all data so far plays, k and the noise
variance given:

    eps_t = argmax sum_i log N(y_i - m(x_i); mu_eps(x_i), sigma_eps^2(x_i) + sigma^2),

mu_eps and sigma_eps of TV-GP-UCB (Bogunovic16 eq. 8-9) given the data before y_i: by the chain rule the sum
is the likelihood of all of them. Ties to the smaller eps. Their paper was not read: that the decay is fitted
while playing is from its description elsewhere, candidates and rule are ours.

Family: old observations fade.
Use it when the function drifts at a rate that is not known, and a fit in every round is affordable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tvgp import posterior
from tvgp.acquisition import best_arm
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.tv_gp_ucb import TVGPUCB
from tvgp.posterior import Prior, SequentialEngine


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """epsilons: the candidates, rising. The width is logarithmic by default, as that of TV-GP-UCB."""

    width: float | str = "logarithmic"
    epsilons: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.epsilons
        good = len(own) > 0 and 0 <= own[0] and own[-1] <= 1 and all(a < b for a, b in pairwise(own))
        require(good, "epsilons", own, "rising rates between 0 and 1")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> FittedTVGPUCB:
    """The policy on a sequential engine per candidate."""
    p = parameters
    engines = [
        posterior.make(prior, noise_variance, horizon=p.horizon, epsilon=epsilon, engine=p.engine)
        for epsilon in p.epsilons
    ]
    return FittedTVGPUCB(engines, p, noise_variance)


class FittedTVGPUCB(TVGPUCB):
    """Every candidate's engine learns everything; that of the likeliest one plays."""

    _parameters: Parameters

    def __init__(
        self, engines: Sequence[SequentialEngine], parameters: Parameters, noise_variance: float
    ) -> None:
        super().__init__(engines[0], parameters)
        self._engines, self._noise = list(engines), noise_variance
        self._likelihoods = np.zeros(len(engines))

    @property
    def epsilon(self) -> float:
        """The rate in use."""
        return self._parameters.epsilons[best_arm(self._likelihoods)]

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        noise = noise_variance or self._noise
        for i, engine in enumerate(self._engines):
            variance = engine.variance.item(arm) + noise
            error = value - engine.mean.item(arm)
            self._likelihoods[i] -= 0.5 * (math.log(variance) + error * error / variance)
            engine.observe(arm, value, noise_variance)
        self._engine = self._engines[best_arm(self._likelihoods)]

    def _age(self, now: int) -> None:
        for engine in self._engines:
            engine.advance(now - self._over)

    def _close(self, t: int) -> None:
        for engine in self._engines:
            engine.advance()
