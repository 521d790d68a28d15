"""Several runs of one policy in lockstep: every call of a round serves all of them.

The policy is made over the copies of a prior (`tvgp.policies.make_together`, `tvgp.posterior.copies`): its
arms are b G + g, its numbers per run, such as widths, are (B, 1). What does not fit into arrays, the draws of
the policies' own streams, is done run by run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tvgp import acquisition
from tvgp.policies.base.designs import Subset
from tvgp.posterior import Copies, Prior


class Together:
    """The calls of a policy of several runs, in the order of `tvgp.contracts.Policy`; arguments are not
    checked, and all rounds are played."""

    def __init__(self, policy: Any) -> None:
        """policy: an `UpperConfidencePolicy` of several runs that has not played. ValueError otherwise."""
        prior = policy._engine.prior
        if not isinstance(prior, Copies) or policy._over:
            raise ValueError("lockstep: expected a new policy, made by tvgp.policies.make_together")
        self._policy = policy
        self._first = np.arange(0, prior.n_arms, prior.single.n_arms)

    def choose(self, t: int, rngs: Sequence[np.random.Generator]) -> np.ndarray:
        """The arm of each run for round t, (B,)."""
        scores = self._policy._scores(self._policy._width(t))
        if self._policy._engine.n:
            return self._first + acquisition.best_arms(scores)
        drawn = [acquisition.random_best_arm(row, rng) for row, rng in zip(scores, rngs, strict=True)]
        return self._first + np.array(drawn)

    def observe(self, t: int, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from the reward of each run, (B,)."""
        self._policy._observe(t, arms, rewards, None)
        self._policy._close(t)
        self._policy._over = t

    def expert_queries(self, t: int, rngs: Sequence[np.random.Generator]) -> np.ndarray:
        """Arms of all runs at which to ask the expert, (m,), ascending; the same array as before if the arms
        are the same and all that were played."""
        return self._policy._queries(t, rngs, None)

    def observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        """Learn from the answers, (m,)."""
        self._policy._observe_expert(t, arms, values)


class Subsets:
    """`tvgp.policies.base.designs.Subset` for several runs."""

    def __init__(self, prior: Prior, rule: str, swap_steps: int = 0, place: str = "past") -> None:
        self._n_arms = prior.single.n_arms
        self._each = [Subset(prior.single, rule, swap_steps, place) for _ in range(*prior.runs)]
        self._counted = np.full(prior.n_arms, place == "domain")
        self._every = self._counted.nonzero()[0]

    def add(self, arms: np.ndarray) -> None:
        """Count an arm of each run as played, (B,)."""
        new = arms[~self._counted[arms]]
        if len(new):
            self._counted[new] = True
            self._every = self._counted.nonzero()[0]
            for arm in new.tolist():
                self._each[arm // self._n_arms].add(arm % self._n_arms)

    def draw(
        self, size: int, rngs: Sequence[np.random.Generator], available: np.ndarray | None
    ) -> np.ndarray:
        """At most `size` distinct arms of each run, ascending."""
        if size >= self._n_arms:
            return self._every
        drawn = [each.draw(size, rng, None) for each, rng in zip(self._each, rngs, strict=True)]
        return np.concatenate([run * self._n_arms + arms for run, arms in enumerate(drawn)])
