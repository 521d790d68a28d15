"""UI-TVBO (Brunzema, von Rohr & Trimpe, CDC 2022): GP-UCB whose f is a Wiener process in time.

    cov(f_s(x), f_t(x')) = k(x, x') (1 + q min(s, t)),  rounds from 0

The posterior mean of an old observation stays, its variance grows by q k(x, x) per round, while under
TV-GP-UCB both go back to the prior. The variance has no limit; it has doubled after 1/q rounds, so that
no formula for the width applies. Rule, default q = 0.03 and width sqrt(2) as in the authors' code; their
minimisation is maximisation here, their fit of the length-scale during play and their selection of
data are left out. UI-GP-UCB of Mauduit25b injects independent noise into old data instead.

Family: old observations fade.
Use it when the function drifts like a Wiener process and never returns to its prior mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from tvgp import posterior
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.tv_gp_ucb import TVGPUCB
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """q: variance added per round, relative to the prior variance; 0 is GP-UCB.

    The width is sqrt(2) by default.
    """

    FORMULAS: ClassVar[tuple[str, ...]] = ()

    width: float | str = math.sqrt(2.0)
    q: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.q < math.inf, "q", self.q, "0 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> TVGPUCB:
    """UI-TVBO on a sequential engine, which ages as that of TV-GP-UCB."""
    p = parameters
    engine = posterior.make(prior, noise_variance, horizon=p.horizon, injection=p.q, engine=p.engine)
    return TVGPUCB(engine, p)
