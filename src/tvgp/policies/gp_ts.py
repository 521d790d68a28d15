"""Exact Thompson sampling: x_t = argmax of one draw from the posterior over all arms.

Two samplers of the same distribution: "joint" keeps a root of the posterior covariance over the arms
(O(G^2) per round, O(G r) if the kernel has rank r), "pathwise" corrects a prior draw at the data
(Wilson et al. 2020; O(t^2 + G t)). Vakili21, section 4, eq. (5), refactorises each round, O(G^3 + t^3).

Family: nothing is forgotten.
Use it when nothing changes, and random choices suit, as with several workers.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvgp.policies.base.policy import require
from tvgp.policies.base.thompson import SampledPolicy, ThompsonParameters
from tvgp.posterior import JointRoot, Pathwise, Prior

LEARNS = ()


@dataclass(frozen=True)
class Parameters(ThompsonParameters):
    """sampling: joint or pathwise."""

    sampling: str = "joint"

    def __post_init__(self) -> None:
        super().__post_init__()
        known = self.sampling in ("joint", "pathwise")
        require(known, "sampling", self.sampling, "joint or pathwise")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> GPTS:
    """Thompson sampling from the exact posterior."""
    return GPTS(prior, noise_variance, parameters)


class GPTS(SampledPolicy):
    """Keeps all observations."""

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        sampler = JointRoot if parameters.sampling == "joint" else Pathwise
        self._sampler: JointRoot | Pathwise = sampler(prior, noise_variance)

    @property
    def functions(self) -> int:
        """Number of functions over the arms that a draw combines."""
        return self._sampler.functions
