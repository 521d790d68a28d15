"""Fresh-sample UCB: the evaluation budget of SparQ or W-SparQ, spent without any history.

A control that the papers lack: whenever SparQ (every round) or W-SparQ (at its window starts)
would ask the expert, the same number of arms is asked, spread over the whole domain instead of
chosen among past inputs. The posterior uses these answers alone. If this ties with SparQ, neither
the k-DPP nor the bandit's history matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.expert import ExpertParameters
from tvgp.posterior import Prior
from tvgp.schedules import next_window_start, query_size
from tvgp.ucb import NO_ARMS, UpperConfidencePolicy, require
from tvgp.widths import information_width


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """schedule: sparq or w_sparq; alpha, alpha_tilde: of W-SparQ's windows. Q_t is capped like
    SparQ's by the number of distinct arms played so far."""

    schedule: str = "sparq"
    alpha: float = 1.0
    alpha_tilde: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        known = ("sparq", "w_sparq")
        require(self.schedule in known, "schedule", self.schedule, "sparq or w_sparq")
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        require(0 < self.alpha_tilde < 1, "alpha_tilde", self.alpha_tilde, "between 0 and 1")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> FreshSampleUCB:
    """Fresh-sample UCB on a batch engine."""
    return FreshSampleUCB(prior, parameters, noise_variance)


class FreshSampleUCB(UpperConfidencePolicy):
    """Asks about a farthest-point design from a random start, and acts on the answers alone."""

    def __init__(self, prior: Prior, parameters: Parameters, noise_variance: float) -> None:
        super().__init__(
            posterior.make_batch(prior, engine=parameters.engine), parameters.prior_mean
        )
        self._parameters = parameters
        self._designs = FarthestPoints(prior.arms)
        self._expert_noise = parameters.expert_noise(noise_variance)
        self._next = 1
        self._played: set[int] = set()

    def _learn(self, t: int, arm: int, value: float) -> None:
        """The arm counts for the size of the budget; the reward itself is not used."""
        self._played.add(arm)

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """Space-filling arms, as many as the schedule asks."""
        p = self._parameters
        if t != self._next:
            return NO_ARMS
        every = p.schedule == "sparq"
        self._next = t + 1 if every else next_window_start(t, p.alpha, p.alpha_tilde)
        size = min(len(self._played), query_size(t, p.query_scale))
        candidates = None if available is None else np.flatnonzero(available)
        return self._designs.draw(size, rng, candidates)

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._engine.condition(arms, values, np.full(len(arms), self._expert_noise))

    def _width(self, t: int) -> float:
        p = self._parameters
        return information_width(p.norm_bound, p.delta, self._engine.log_det)


class FarthestPoints:
    """Designs whose every point is the farthest from those before it (Gonzalez 1985).

    A design is the beginning of one order, which depends on its first point only: the orders among
    all points are kept.
    """

    def __init__(self, points: np.ndarray) -> None:
        self._points = points
        self._everywhere = np.arange(len(points))
        self._orders: dict[int, np.ndarray] = {}

    def draw(
        self, size: int, rng: np.random.Generator, candidates: np.ndarray | None = None
    ) -> np.ndarray:
        """`size` of the candidates (all points for None) from a random start on, ascending."""
        among = self._everywhere if candidates is None else candidates
        if size >= len(among):
            return among
        start = int(among[rng.integers(len(among))])
        if candidates is not None:
            return np.sort(_farthest_order(self._points, among, start, size))
        order = self._orders.get(start)
        if order is None or len(order) < size:
            order = _farthest_order(self._points, among, start, min(2 * size, len(among)))
            self._orders[start] = order
        return np.sort(order[:size])


def _farthest_order(
    points: np.ndarray, candidates: np.ndarray, start: int, size: int
) -> np.ndarray:
    """`size` of the candidates in the order in which they are chosen, the first being `start`."""
    chosen = [start]
    places = points[candidates]
    distance = ((places - points[start]) ** 2).sum(axis=1)
    distance[candidates == start] = -1.0  # none is chosen twice, also among equal points
    while len(chosen) < size:
        far = int(distance.argmax())
        chosen.append(int(candidates[far]))
        np.minimum(distance, ((places - places[far]) ** 2).sum(axis=1), out=distance)
        distance[far] = -1.0
    return np.asarray(chosen)
