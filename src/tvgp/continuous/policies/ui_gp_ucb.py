"""UI-GP-UCB on a box: noise variances grow as 1 + age^alpha (`tvgp.policies.ui_gp_ucb`)."""

from __future__ import annotations

from dataclasses import dataclass

from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Drift
from tvgp.continuous.policies.base.policy import UpperParameters, UpperPolicy
from tvgp.kernels import Kernel
from tvgp.policies.base.aged_data import lag_power
from tvgp.policies.base.policy import require

LEARNS = ("alpha",)


@dataclass(frozen=True)
class Parameters(UpperParameters):
    """alpha: drift exponent, positive."""

    alpha: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha > 0, "alpha", self.alpha, "positive")


def drift(parameters: Parameters) -> Drift:
    """Injection of noise."""
    return Drift(growth=lambda ages: 1.0 + lag_power(ages, parameters.alpha))


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> UpperPolicy:
    """UI-GP-UCB."""
    return UpperPolicy(domain, kernel, noise_variance, parameters, drift)
