"""ST-GP-UCB on a box: a product kernel over space and time (`tvgp.policies.st_gp_ucb`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tvgp import kernels
from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Drift
from tvgp.continuous.policies.base.policy import UpperParameters, UpperPolicy
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import require

_FAMILIES = {"ou": "matern12", "matern32": "matern32", "se": "se", "periodic": "", "quasi": "matern12"}

LEARNS = ("l_time",)


@dataclass(frozen=True)
class Parameters(UpperParameters):
    """time_kernel: ou, matern32, se, periodic, or quasi (periodic times ou), with l_time and period, in
    rounds, as `tvgp.policies.st_gp_ucb`."""

    time_kernel: str = "matern32"
    l_time: float = 200.0
    period: float = 20.0

    def __post_init__(self) -> None:
        super().__post_init__()
        expected = ", ".join(_FAMILIES)
        require(self.time_kernel in _FAMILIES, "time_kernel", self.time_kernel, expected)
        for name in ("l_time", "period"):
            good = 0 < getattr(self, name) < math.inf
            require(good, name, getattr(self, name), "positive, in rounds")


def drift(parameters: Parameters) -> Drift:
    """The time kernel."""
    p, periodic = parameters, kernels.make("periodic", period=parameters.period)
    if p.time_kernel == "periodic":
        return Drift(periodic)
    decaying = kernels.make(_FAMILIES[p.time_kernel], length_scale=p.l_time)
    return Drift(periodic * decaying if p.time_kernel == "quasi" else decaying)


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> UpperPolicy:
    """ST-GP-UCB."""
    return UpperPolicy(domain, kernel, noise_variance, parameters, drift)
