"""Bandit algorithms on a box, one file each, known everywhere by its file name.

Each module defines a frozen dataclass `Parameters` and `make(domain, kernel, noise_variance,
parameters)`. Policies for arms play on a box through `tvgp.continuous.simulate.OnCandidates`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tvgp import kernels, plugins
from tvgp.continuous.box import Domain
from tvgp.continuous.policies.base.policy import ModelPolicy
from tvgp.contracts import PointPolicy
from tvgp.fitting.learning import learnt_drift
from tvgp.kernels import Kernel
from tvgp.policies.base import checks

_registry = plugins.Registry(__name__, "policy")
names, parameters, fill = _registry.names, _registry.parameters, _registry.fill


def make(
    name: str,
    *,
    domain: np.ndarray | Domain,
    kernel: Kernel | None = None,
    noise_variance: float | None = None,
    parameters: str = "given",
    **values: Any,
) -> PointPolicy:
    """A fresh policy on a domain, or on the box with corners `domain` (2, d).

    parameters: given, or learn: kernel, noise variance and drift are learnt while playing
    (`tvgp.fitting.learning`), and of the kernel only the family counts, Matern 5/2 by default. ValueError for
    an unknown algorithm or parameter, and where there is nothing to learn.
    """
    filled = fill(name, values)
    if parameters not in ("given", "learn"):
        raise ValueError(f"policy {name}: parameters is {parameters!r}, expected given or learn")
    if parameters == "learn":
        kernel = kernels.make("matern52") if kernel is None else kernel
        if noise_variance is None:
            noise_variance = getattr(kernel, "variance", 1.0)  # until the first fit
    if kernel is None or noise_variance is None:
        raise ValueError(f"policy {name}: give kernel and noise_variance, or let parameters be 'learn'")
    noise_variance = checks.check_model(name, kernel, noise_variance)
    module = _registry.load(name)
    if parameters == "given":
        given: PointPolicy = module.make(Domain.of(domain), kernel, noise_variance, filled)
        return given
    drift, time_family = learnt_drift(name, module, filled)
    policy: ModelPolicy = module.make(Domain.of(domain), kernel, noise_variance, filled)
    policy.learn(drift, time_family)
    return policy
