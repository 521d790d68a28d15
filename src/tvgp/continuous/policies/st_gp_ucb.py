"""ST-GP-UCB on a box: a product kernel over space and time (`tvgp.policies.st_gp_ucb`)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.exact import Drift
from tvgp.continuous.policies.base.policy import UpperParameters, UpperPolicy
from tvgp.kernels import Kernel
from tvgp.policies.base.policy import require
from tvgp.policies.st_gp_ucb import named_time_kernel

_FAMILIES = ("ou", "matern32", "se", "periodic", "quasi")

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
    p = parameters
    return Drift(named_time_kernel(p.time_kernel, p.l_time, p.period))


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> UpperPolicy:
    """ST-GP-UCB."""
    return UpperPolicy(domain, kernel, noise_variance, parameters, drift)
