"""Runs on a continuous domain: batches of points of a box, after some initial points.

Policies for finite arms play unchanged on a finite set of candidates (`OnCandidates`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.contracts import ContinuousEnvironment, PointPolicy, Policy


@dataclass(frozen=True)
class PointRun:
    """Outcome, one entry per evaluation: points (n, d); rewards (n,) as observed; regret (n,),
    max f_t - f_t(x); rounds (n,), 0 for the initial points."""

    points: np.ndarray
    rewards: np.ndarray
    regret: np.ndarray
    rounds: np.ndarray

    @property
    def simple_regret(self) -> np.ndarray:
        """max f minus the best f(x) among the points evaluated so far, without noise, (n,), for an f that
        does not change."""
        return np.minimum.accumulate(self.regret)


def initial_points(environment: ContinuousEnvironment, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points uniform on the box, (count, d)."""
    lower, upper = environment.domain
    return rng.uniform(lower, upper, (count, len(lower)))


def simulate_continuous(
    policy: PointPolicy,
    environment: ContinuousEnvironment,
    rounds: int,
    batch: int,
    *,
    rng: np.random.Generator,
    noise: np.random.Generator,
    initial: np.ndarray,
) -> PointRun:
    """Evaluate the initial points (n, d) on f_1, then `rounds` batches of `batch` points.

    rng: the policy's stream; noise: standard normal, one per evaluation in order, the same for every
    policy. ValueError if a policy proposes a point outside the box or the wrong number of points.
    """
    lower, upper = environment.domain
    z = noise.standard_normal(len(initial) + rounds * batch)
    played, done = [], 0
    for t in range(rounds + 1):
        points = initial if t == 0 else np.asarray(policy.propose(t, rng, batch), dtype=float)
        if points.shape != (len(initial) if t == 0 else batch, len(lower)):
            raise ValueError(f"round {t}: points have shape {points.shape}, expected ({batch}, {len(lower)})")
        if not ((points >= lower) & (points <= upper)).all():
            raise ValueError(f"round {t}: a point lies outside the box")
        f = environment.mean_reward_at(points, max(t, 1))
        y = f + environment.noise_std * z[done : done + len(points)]
        policy.observe_points(t, points, y)
        played.append((points, y, environment.optimum_at(max(t, 1)) - f, np.full(len(f), t, dtype=np.int32)))
        done += len(points)
    return PointRun(*(np.concatenate(parts) for parts in zip(*played, strict=True)))


class OnCandidates:
    """A policy for arms that plays the arms as points. A batch is `batch` choices from the same data:
    independent draws for Thompson sampling, repetitions of one arm for a deterministic rule."""

    def __init__(self, policy: Policy, arms: np.ndarray) -> None:
        """arms: the policy's own, (n_arms, d); initial points must be among them."""
        self._policy, self._arms = policy, np.asarray(arms, dtype=float)
        self._index = {arm.tobytes(): i for i, arm in enumerate(self._arms)}
        self._seen = 0

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """Points (batch, d) among the candidates."""
        return self._arms[[self._policy.choose(self._seen + 1, rng) for _ in range(batch)]]

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """Learn from rewards at candidates. ValueError for a point that is not a candidate."""
        for point, reward in zip(np.ascontiguousarray(points), rewards, strict=True):
            if point.tobytes() not in self._index:
                raise ValueError(f"point {point} is not among the {len(self._arms)} candidates")
            self._seen += 1
            self._policy.observe(self._seen, self._index[point.tobytes()], float(reward))
