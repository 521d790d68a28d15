"""Field-GP-UCB: sites whose mean level moves slowly under weather that moves fast (ours).

    f_t(x) = m(x) + s_t(x) + w_t(x),  x_t = argmax mu_t(x) + width sigma_t(x)
    cov(w_t, w_{t+L}) = (1 - q) K exp(-L/l_fast)
    cov(s_t, s_{t+L}) = q ((1 - o) K + o diag(K)) exp(-L/l_slow)

for K the prior covariance, so that Var f_t(x) = k(x, x); q is slow_share, o own_share, the part of the slow
movement that each site has for itself. mu_t and sigma_t are those of f_t given y_1, ..., y_{t-1}, exactly, by
a Kalman filter (`tvgp.posterior.state_space`): O(n^2) per round for n sites, flat in t. q = 0 is the model of
TV-GP-UCB (Bogunovic16) with eps = 1 - exp(-2/l_fast).

`tvgp.fitting` fits all of it to a panel of readings: `shrunk_means` m, `shrunk_covariance` and `fit_field`
the rest, with K as an empirical kernel. The width .5, own_share .5 and the model as a whole are ours: no
published method tracks a field with two time scales.

Family: old observations fade.
Use it when the arms are sites of a field (sensors, stations) with a past record to fit it to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp import kernels, posterior
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.tv_gp_ucb import TVGPUCB
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """slow_share: q; own_share: o; l_fast, l_slow: in rounds, 1.44 times the half-lives of the correlation.

    prior_mean is m. The width is 0.5 by default.
    """

    OURS: ClassVar[tuple[str, ...]] = ("width",)

    width: float | str = 0.5
    slow_share: float = 0.3
    own_share: float = 0.5
    l_fast: float = 2.0
    l_slow: float = 200.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("slow_share", "own_share"):
            require(0 <= getattr(self, name) <= 1, name, getattr(self, name), "between 0 and 1")
        for name in ("l_fast", "l_slow"):
            require(0 < getattr(self, name) < math.inf, name, getattr(self, name), "positive, in rounds")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> FieldGPUCB:
    """Field-GP-UCB on the state-space engine. ValueError for another one."""
    known = parameters.engine in ("auto", posterior.StateSpace.name)
    require(known, "engine", parameters.engine, f"auto or {posterior.StateSpace.name}")
    engine = posterior.StateSpace(prior, noise_variance, products(prior, parameters))
    return FieldGPUCB(engine, parameters)


def products(prior: Prior, p: Parameters) -> list[tuple[Prior | np.ndarray, kernels.Kernel]]:
    """Covariance over the arms and time kernel of w_t and s_t, without one whose variance is 0."""
    fast, slow = (kernels.make("matern12", length_scale=length) for length in (p.l_fast, p.l_slow))
    found: list[tuple[Prior | np.ndarray, kernels.Kernel]] = []
    if p.slow_share < 1:
        found.append((_scaled(prior, 1.0 - p.slow_share), fast))
    if p.slow_share and p.own_share:
        own = np.diag(p.slow_share * p.own_share * prior.diagonal)
        found.append((p.slow_share * (1.0 - p.own_share) * prior.gram + own, slow))
    elif p.slow_share:
        found.append((_scaled(prior, p.slow_share), slow))
    return found


def lag_correlation(prior: Prior, p: Parameters) -> float:
    """Correlation of the differences between arms in one round with those in the next; what all arms share
    changes no choice."""
    next_round, variance = 0.0, 0.0
    for space, kernel in products(prior, p):
        matrix = space.gram if isinstance(space, Prior) else space
        apart = float(matrix.trace() - matrix.sum() / len(matrix))
        variance += apart
        next_round += apart * float(kernel(np.zeros((1, 1)), np.ones((1, 1)))[0, 0])
    return next_round / variance if variance > 0 else 0.0


def _scaled(prior: Prior, share: float) -> Prior:
    """The prior with its covariance times a share of 1."""
    if share == 1:
        return prior
    return Prior.of(prior.arms, kernels.make("constant", variance=share) * prior.kernel)


class FieldGPUCB(TVGPUCB):
    """TV-GP-UCB, which also lets the engine's time pass, on the posterior of the sum."""
