"""Rewards on a box that move, f_t(x) for x in [0, 1]^d, and their maximum in every round."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from tvgp import streams
from tvgp.contracts import Environment
from tvgp.environments.base.spread import spread_points

# Best points that the search for max f_t starts from, those of round t - 1 among them.
_STARTS = 8

# Standard deviations of the steps of the search, in sides of the box, and their number at each.
_STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)
_TRIES = 64


class MovingBox(Environment):
    """f_t on [0, 1]^d, for policies that play points; those for arms play `n_arms` evenly spread ones.

    Subclasses implement `mean_reward_at`, and may search better than by random steps (`_polished`).
    """

    def __init__(self, d: int, n_arms: int, noise_std: float, candidates: int) -> None:
        """candidates: evenly spread points among which each round's search for the maximum begins."""
        self.domain = np.array([np.zeros(d), np.ones(d)])
        self.arms = np.concatenate([np.full((1, d), 0.5), spread_points(n_arms - 1, d)])
        self.noise_std = self.expert_noise_std = noise_std
        self._candidates = np.concatenate([np.full((1, d), 0.5), spread_points(candidates - 1, d)])
        self._tops = self._candidates[:0]
        self._optima: list[float] = []

    @abstractmethod
    def mean_reward_at(self, points: np.ndarray, t: int) -> np.ndarray:
        """f_t at points (n, d), (n,). IndexError beyond the horizon."""

    def mean_rewards(self, t: int) -> np.ndarray:
        """f_t over all arms, (n_arms,). IndexError beyond the horizon."""
        return self.mean_reward_at(self.arms, t)

    def optimum_at(self, t: int) -> float:
        """The largest f_t that a search finds, from candidates and from the best points of round t - 1."""
        while len(self._optima) < t:
            now = len(self._optima) + 1
            values = self._among_candidates(now)
            best = np.argsort(-values, kind="stable")[:_STARTS]
            tops, values = self._polished(np.concatenate([self._tops, self._candidates[best]]), now)
            order = np.argsort(-values, kind="stable")
            self._tops = _apart(tops[order])[:_STARTS]
            self._optima.append(float(values[order[0]]))
        return self._optima[t - 1]

    def _among_candidates(self, t: int) -> np.ndarray:
        return self.mean_reward_at(self._candidates, t)

    def _polished(self, points: np.ndarray, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Better points (n, d) near the given ones, and f_t there (n,)."""
        rng = streams.generator("moving_box", self.domain.shape[1])
        values = self.mean_reward_at(points, t)
        for step in _STEPS:
            order = np.argsort(-values, kind="stable")[: _STARTS // 2]
            centres = points[order[np.arange(_TRIES) % len(order)]]
            tried = np.clip(centres + step * rng.standard_normal(centres.shape), 0.0, 1.0)
            points = np.concatenate([points, tried])
            values = np.append(values, self.mean_reward_at(tried, t))
        return points, values


def _apart(points: np.ndarray) -> np.ndarray:
    """Points (n, d) without those within a hundredth of a side of an earlier one."""
    kept: list[np.ndarray] = []
    for point in points:
        if all(np.abs(point - other).max() > 0.01 for other in kept):
            kept.append(point)
        if len(kept) == _STARTS:
            break
    return np.array(kept)
