"""The choice of the arms that an expert is asked about."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg.blas import dger

from tvgp import dpp
from tvgp.posterior import Prior

SUBSETS = ("dpp", "greedy", "swap", "random")
PLACES = ("past", "domain")


class Subset:
    """Chooses arms among those played so far (place "past") or among all ("domain").

    dpp: exact k-DPP; greedy: largest determinant, one arm at a time (Mauduit25a, Alg. 3); swap:
    greedy, then `swap_steps` steps of the lazy chain (Alg. 2), whose law tends to that of dpp;
    random: uniformly.
    """

    _RANK_LIMIT = 256
    _FEW = 4  # most added arms for which an update is cheaper than an eigenproblem

    def __init__(self, prior: Prior, rule: str, swap_steps: int = 0, place: str = "past") -> None:
        self._prior = prior
        self._rule, self._swap_steps = rule, swap_steps
        self._ground = np.empty(0, dtype=np.intp)
        self._sampler: dpp.KDPP | None = None
        self._before: dpp.KDPP | None = None  # the sampler of all candidates but those added since
        self._added: list[int] = []
        self._matrix = np.empty((0, 0))  # kernel matrix of the ground set, for greedy and swap
        self._order, self._ordered = self._ground, 0  # greedy order, and how far it was asked for
        self._candidates = np.zeros(prior.n_arms, dtype=bool)
        self._factor = prior.factor(self._RANK_LIMIT) if rule == "dpp" else None
        if self._factor is not None:  # F'F over the candidates
            self._dual = np.zeros((self._factor.shape[1],) * 2, order="F")
        if place == "domain":
            for arm in range(prior.n_arms):
                self.add(arm)

    def add(self, arm: int) -> None:
        """Count an arm as played; repeated arms count once."""
        if self._candidates[arm]:
            return
        self._candidates[arm] = True
        self._added.append(arm)
        if self._factor is not None:
            # a new array, as a sampler may hold the old one
            self._dual = dger(1.0, self._factor[arm], self._factor[arm], a=self._dual)

    def draw(self, size: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """At most `size` distinct arms that are available, ascending."""
        mask = self._candidates if available is None else self._candidates & available
        ground = mask.nonzero()[0]
        if size >= len(ground):
            return ground
        if self._rule == "random":
            return ground[np.sort(rng.choice(len(ground), size, replace=False))]
        if len(ground) != len(self._ground) or not (ground == self._ground).all():
            self._ground = ground
            self._sampler, self._ordered = None, 0
        if self._rule == "dpp":
            if self._sampler is None:
                self._sampler = self._exact_sampler(ground)
            return ground[self._sampler.sample(size, rng)]
        chosen = self._greedy(size)
        if self._rule == "swap":
            chosen = dpp.swap_chain(self._matrix, chosen, self._swap_steps, rng)
        return ground[np.sort(chosen)]

    def _greedy(self, size: int) -> np.ndarray:
        """The first items of the greedy order of the ground set."""
        if self._ordered == 0:
            self._matrix = self._prior.rows(self._ground).take(self._ground, axis=1)
        if self._ordered < size:
            self._order, self._ordered = dpp.greedy(self._matrix, size), size
        return self._order[:size]

    def _exact_sampler(self, ground: np.ndarray) -> dpp.KDPP:
        factor = self._factor
        if factor is None or factor.shape[1] >= len(ground):
            return dpp.KDPP(self._prior.rows(ground).take(ground, axis=1))
        everything = len(ground) == np.count_nonzero(self._candidates)
        sampler = dpp.KDPP.from_factor(
            factor.take(ground, axis=0),
            dual=self._dual if everything else None,
            diagonal=self._prior.diagonal[ground],
            distinct=self._distinct,
            before=self._before if everything and len(self._added) <= self._FEW else None,
            added=factor[self._added],
        )
        self._before, self._added = (sampler if everything else None), []
        return sampler

    @cached_property
    def _distinct(self) -> bool:
        """Whether all arms differ under the prior, whose factor is kept."""
        assert self._factor is not None
        return dpp.KDPP.from_factor(self._factor).distinct
