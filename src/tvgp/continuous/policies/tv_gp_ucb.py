"""TV-GP-UCB on a box: k_T = (1 - eps)^(lag/2) (`tvgp.policies.tv_gp_ucb`)."""

from __future__ import annotations

from dataclasses import dataclass

from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Drift, forgetting
from tvgp.continuous.policies.base.policy import UpperParameters, UpperPolicy
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import require

LEARNS = ("epsilon",)


@dataclass(frozen=True)
class Parameters(UpperParameters):
    """epsilon: rate of change per round, below 1; 0 is GP-UCB."""

    epsilon: float = 0.03

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.epsilon < 1, "epsilon", self.epsilon, "from 0 to below 1")


def drift(parameters: Parameters) -> Drift:
    """Forgetting at rate epsilon."""
    return forgetting(parameters.epsilon)


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> UpperPolicy:
    """TV-GP-UCB."""
    return UpperPolicy(domain, kernel, noise_variance, parameters, drift)
