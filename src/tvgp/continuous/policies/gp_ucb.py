"""GP-UCB on a box: a static model (`tvgp.policies.gp_ucb`)."""

from __future__ import annotations

from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.policy import UpperParameters, UpperPolicy
from tvgp.kernels import Kernel

Parameters = UpperParameters
LEARNS = ()


def make(domain: Domain, kernel: Kernel, noise_variance: float, parameters: Parameters) -> UpperPolicy:
    """GP-UCB."""
    return UpperPolicy(domain, kernel, noise_variance, parameters)
