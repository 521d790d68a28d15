"""Fresh-sample UCB: the evaluation budget of SparQ or W-SparQ, spent without any history.

A control that the papers lack: whenever SparQ (every round) or W-SparQ (at its window starts)
would ask the expert, this policy asks about as many arms, spread over the whole domain instead of
chosen among past inputs. Its posterior uses only the latest answers, with constant variance or,
for noise "virtual", with variances that grow with age as W-SparQ's do. If it ties with SparQ,
neither the k-DPP nor the bandit's history matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.designs import FarthestPoints
from tvgp.policies.base.expert import ExpertParameters, ExpertPolicy
from tvgp.policies.base.policy import NO_ARMS, require
from tvgp.posterior import Prior
from tvgp.theory.schedules import check_alpha_tilde, next_window_start, query_size


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """schedule: sparq or w_sparq; alpha, alpha_tilde: exponents of W-SparQ's windows; noise:
    constant or virtual. As in SparQ, Q_t is at most the number of distinct arms played so far."""

    schedule: str = "sparq"
    alpha: float = 1.0
    alpha_tilde: float = 0.25
    noise: str = "constant"

    def __post_init__(self) -> None:
        super().__post_init__()
        known = ("sparq", "w_sparq")
        require(self.schedule in known, "schedule", self.schedule, "sparq or w_sparq")
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        check_alpha_tilde(self.alpha_tilde)
        require(self.noise in ("constant", "virtual"), "noise", self.noise, "constant or virtual")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> FreshSampleUCB:
    """Fresh-sample UCB on a batch engine."""
    return FreshSampleUCB(prior, noise_variance, parameters)


class FreshSampleUCB(ExpertPolicy):
    """Asks about a farthest-point design from a random start and uses only the answers."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        self._designs = FarthestPoints(prior.arms)
        self._start, self._next = 0, 1
        self._answers, self._values = NO_ARMS, np.empty(0)
        self._played: set[int] = set()

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        """The arm counts towards the query budget; the reward is not used."""
        self._played.add(arm)
        if t < self._next:
            self._age(t)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """Space-filling arms, as many as the schedule prescribes."""
        p = self._parameters
        if t < self._next:
            return NO_ARMS
        every = p.schedule == "sparq"
        self._next = t + 1 if every else next_window_start(t, p.alpha, p.alpha_tilde)
        size = min(len(self._played), query_size(t, p.query_scale))
        candidates = None if available is None else np.flatnonzero(available)
        return self._designs.draw(size, rng, candidates)

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._start, self._answers, self._values = t, arms, values
        self._condition(t)

    def _age(self, now: int) -> None:
        if self._parameters.noise == "virtual":
            self._condition(now)

    def _condition(self, t: int) -> None:
        injected = self._noise * float(t - self._start) ** self._parameters.alpha
        variances = np.full(len(self._answers), self._expert_noise + injected)
        self._engine.condition(self._answers, self._values, variances)
