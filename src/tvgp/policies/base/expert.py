"""Base of the policies that query an expert (the SparQ family)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.policies.base.designs import PLACES, SUBSETS, Subset
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy
from tvgp.posterior import BatchEngine, Prior


@dataclass(frozen=True)
class ExpertParameters(UpperConfidenceParameters):
    """Parameters of the policies that query an expert.

    query_scale: c in Q_t = ceil(c log t); expert_noise_variance: None for that of an observation;
    subset: how the arms asked about are chosen: "dpp", an exact k-DPP; "greedy", the largest determinant, one
    arm at a time; "swap", a chain of swaps from there; "random", uniformly; swap_steps: length of the
    chain of subset "swap"; place: among which arms, "past" (those played) or "domain" (all).
    """

    query_scale: float = 6.0
    expert_noise_variance: float | None = None
    subset: str = "dpp"
    swap_steps: int = 1000
    place: str = "past"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.query_scale > 0, "query_scale", self.query_scale, "positive")
        noise = self.expert_noise_variance
        require(noise is None or noise > 0, "expert_noise_variance", noise, "positive")
        require(self.subset in SUBSETS, "subset", self.subset, ", ".join(SUBSETS))
        require(self.swap_steps > 0, "swap_steps", self.swap_steps, "positive; 0 is subset greedy")
        require(self.place in PLACES, "place", self.place, " or ".join(PLACES))


class ExpertPolicy(UpperConfidencePolicy):
    """Upper confidence bounds on a batch engine, with answers of an expert among the data.
    Subclasses also implement `_queries` and `_learn_from_expert`."""

    _engine: BatchEngine
    _parameters: ExpertParameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: ExpertParameters) -> None:
        super().__init__(posterior.make_batch(prior, engine=parameters.engine), parameters)
        self._noise = noise_variance
        self._expert_noise = noise = parameters.expert_noise_variance or noise_variance
        least = f"at least {prior.least_noise:.3g}, or float64 has no posterior"
        require(noise >= prior.least_noise, "expert_noise_variance", noise, least)
        self._subset = Subset(prior, parameters.subset, parameters.swap_steps, parameters.place)

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._learn_from_expert(t, arms, values - self._mean_at(arms))

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        raise NotImplementedError
