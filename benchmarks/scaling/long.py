"""Whole runs of 100,000 rounds on 501 arms, SE kernel: time per step along the way, and memory.

About five minutes. Where noise variances change every step, the sums over all observations are timed
separately from the solution for the posterior.
"""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from benchmarks.scaling import lines
from tvgp import environments, policies, streams
from tvgp.contracts import Policy
from tvgp.posterior import Merged
from tvgp.study.figures.base import style

HORIZON, N_ARMS = 100_000, 501
CHECKPOINTS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
HALF = 500  # steps before and after a checkpoint over which times are averaged

_POLICIES = {
    "GP-UCB": ("gp_ucb", {}),
    "TV-GP-UCB": ("tv_gp_ucb", {}),
    "SW-GP-UCB, 73 rounds": ("sw_gp_ucb", {"window": 73}),
    "W-GP-UCB, gamma 0.99": ("w_gp_ucb", {"gamma": 0.99}),
    "UI-GP-UCB": ("ui_gp_ucb", {"alpha": 1.0}),
    "W-SparQ-GP-UCB": ("w_sparq_gp_ucb", {}),
}
LABELS = tuple(_POLICIES)


def measure(label: str, quick: bool) -> list[dict]:
    """Mean seconds per step around each checkpoint, in total and for sums, and of the whole run."""
    horizon = 2 * CHECKPOINTS[0] if quick else HORIZON
    algorithm, parameters = _POLICIES[label]
    environment = environments.make("rkhs_sine", n_arms=N_ARMS)
    policy = policies.make(
        algorithm,
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=environment.noise_std**2,
        horizon=horizon,
        **parameters,
    )
    solution = _Solution(policy)
    rng = streams.generator("benchmarks", "long", label)
    noise = streams.NoiseField(N_ARMS, "benchmarks", "long", "noise")
    seconds, of_sums = np.empty(horizon), np.zeros(horizon)
    for t in range(1, horizon + 1):
        f = environment.mean_rewards(t)
        observed = f + environment.noise_std * noise.at(t)
        solution.seconds, started = 0.0, time.process_time()
        arm = policy.choose(t, rng)
        chosen = time.process_time()
        policy.observe(t, arm, float(observed[arm]))
        if solution.apart:
            of_sums[t - 1] = time.process_time() - chosen - solution.seconds
        asked = policy.expert_queries(t, rng)
        if len(asked):
            policy.observe_expert(t, asked, observed[asked])
        seconds[t - 1] = time.process_time() - started
    rows = []
    for t in (t for t in CHECKPOINTS if t <= horizon):
        near = slice(max(t - HALF, 0), t + HALF)
        row = {"line": label, "size": t, "seconds": float(seconds[near].mean())}
        row |= {"weights": float(of_sums[near].mean()), "run": float(seconds.sum())}
        rows.append(row | {"engine": policy.engine})
    return rows


def draw(rows: list[dict]) -> Figure:
    """Milliseconds per step against t."""
    looks = {label: style.look(algorithm) for label, (algorithm, _) in _POLICIES.items()}
    title = "Time per step of whole runs, 501 arms, SE kernel"
    return lines.draw(rows, looks, "round $t$", "milliseconds per step", title)


class _Solution:
    """Seconds that a merged engine spends on the posterior, given the sums by arm."""

    def __init__(self, policy: Policy) -> None:
        self.seconds = 0.0
        engine = policy._engine
        self.apart = isinstance(engine, Merged)
        if self.apart:
            engine.condition_sums = self._timed(engine.condition_sums)
            engine.mismatch_sums = self._timed(engine.mismatch_sums)

    def _timed(self, function):
        def call(*arguments):
            started = time.process_time()
            answer = function(*arguments)
            self.seconds += time.process_time() - started
            return answer

        return call
