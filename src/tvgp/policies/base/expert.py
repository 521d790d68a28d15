"""Base of the policies that ask an expert (the SparQ family), and the choice of the arms to ask about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.blas import dger

from tvgp import dpp, posterior
from tvgp.policies.base.policy import NO_ARMS, require
from tvgp.policies.base.ucb import UpperConfidenceParameters, UpperConfidencePolicy
from tvgp.posterior import BatchEngine, Prior

SUBSETS = ("dpp", "greedy", "swap", "random")


@dataclass(frozen=True)
class ExpertParameters(UpperConfidenceParameters):
    """Parameters of the policies that ask an expert.

    query_scale: c in Q_t = ceil(c log t); expert_noise_variance: None for
    that of an observation.
    """

    query_scale: float = 6.0
    expert_noise_variance: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.query_scale > 0, "query_scale", self.query_scale, "positive")
        noise = self.expert_noise_variance
        require(noise is None or noise > 0, "expert_noise_variance", noise, "positive")


class ExpertPolicy(UpperConfidencePolicy):
    """Upper confidence bounds on a batch engine, with answers of an expert among the data.
    Subclasses also implement `_queries` and `_learn_from_expert`."""

    _engine: BatchEngine
    _parameters: ExpertParameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: ExpertParameters) -> None:
        super().__init__(posterior.make_batch(prior, engine=parameters.engine), parameters)
        self._noise = noise_variance
        self._expert_noise = parameters.expert_noise_variance or noise_variance

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._learn_from_expert(t, arms, values - self._mean_at(arms))

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        raise NotImplementedError


class Subset:
    """Chooses the arms to ask about among those played so far.

    dpp: exact k-DPP (the papers' choice, Burt et al. 2020); greedy: largest determinant, one arm
    at a time; swap: greedy, then 1,000 lazy exchange steps; random: uniformly.
    """

    _SWAP_STEPS = 1000
    _RANK_LIMIT = 256

    def __init__(self, prior: Prior, rule: str) -> None:
        require(rule in SUBSETS, "subset", rule, ", ".join(SUBSETS))
        self._prior = prior
        self._rule = rule
        self._ground = NO_ARMS
        self._sampler: dpp.KDPP | None = None
        self._was_played = np.zeros(prior.n_arms, dtype=bool)
        self._factor = prior.factor(self._RANK_LIMIT) if rule == "dpp" else None
        if self._factor is not None:  # F'F over the arms played
            self._dual = np.zeros((self._factor.shape[1],) * 2, order="F")

    def add(self, arm: int) -> None:
        """Add an arm to the ground set; repeated arms count once."""
        if self._was_played[arm]:
            return
        self._was_played[arm] = True
        if self._factor is not None:
            # a new array, as a sampler may hold the old one
            self._dual = dger(1.0, self._factor[arm], self._factor[arm], a=self._dual)

    def draw(self, size: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """At most `size` distinct arms among those played and available, ascending."""
        mask = self._was_played if available is None else self._was_played & available
        ground = mask.nonzero()[0]
        if size >= len(ground):
            return ground
        if self._rule == "random":
            return ground[np.sort(rng.choice(len(ground), size, replace=False))]
        if not np.array_equal(ground, self._ground):
            self._ground = ground
            self._sampler = None
        if self._rule == "dpp":
            if self._sampler is None:
                self._sampler = self._exact_sampler(ground)
            return ground[self._sampler.sample(size, rng)]
        K = self._prior.rows(ground).take(ground, axis=1)
        chosen = dpp.greedy(K, size)
        if self._rule == "swap":
            chosen = dpp.swap_chain(K, chosen, self._SWAP_STEPS, rng)
        return ground[np.sort(chosen)]

    def _exact_sampler(self, ground: np.ndarray) -> dpp.KDPP:
        factor = self._factor
        if factor is not None and factor.shape[1] < len(ground):
            dual = self._dual if len(ground) == np.count_nonzero(self._was_played) else None
            return dpp.KDPP.from_factor(
                factor.take(ground, axis=0),
                dual=dual,
                diagonal=self._prior.diagonal[ground],
                distinct=self._distinct,
            )
        return dpp.KDPP(self._prior.rows(ground).take(ground, axis=1))

    @cached_property
    def _distinct(self) -> bool:
        """Whether all arms differ under the prior, whose factor is kept."""
        assert self._factor is not None
        return dpp.KDPP.from_factor(self._factor).distinct
