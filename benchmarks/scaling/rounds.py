"""Time per step against t, up to 100,000 rounds on 501 arms.

A policy is brought to round t, where 200 steps are timed. It gets there by repeating the arms of a
short real run; a policy that recomputes its posterior in every round stores these data without
computing it, so that t = 100,000 takes seconds with the data of a full run. Policies at all t take
turns, block by block.
"""

from __future__ import annotations

import time

import numpy as np
from matplotlib.figure import Figure

from benchmarks.problem import Problem, play, sine
from benchmarks.scaling import lines
from tvgp import environments, streams
from tvgp.contracts import Policy
from tvgp.posterior import Merged, Prior, make_batch
from tvgp.study.figures.base import style

CHECKPOINTS = (100, 1_000, 10_000, 100_000)
BLOCK, BLOCKS = 40, 5
WARM_UP = 1000  # rounds of the real run

_APPEND, _WITHOUT = "GP-UCB, append", "UI-GP-UCB, weights apart"
_POLICIES = {
    "GP-UCB": ("gp_ucb", {"engine": "weight_space"}),
    _APPEND: ("gp_ucb", {"engine": "append"}),
    "TV-GP-UCB": ("tv_gp_ucb", {"engine": "weight_space"}),
    "SW-GP-UCB, 73 rounds": ("sw_gp_ucb", {"window": 73}),
    "W-GP-UCB, gamma 0.99": ("w_gp_ucb", {"gamma": 0.99}),
    "UI-GP-UCB": ("ui_gp_ucb", {"alpha": 1.0}),
    "W-SparQ-GP-UCB": ("w_sparq_gp_ucb", {}),
}
LABELS = (*_POLICIES, _WITHOUT)
_LOOKS = {
    **{label: style.look(algorithm) for label, (algorithm, _) in _POLICIES.items()},
    # no methods of the study, but two ways to compute one
    _APPEND: style.Look("#332288", style.DASHED, "p", filled=False),
    _WITHOUT: style.Look("#aa4499", style.DOTTED, "8", filled=False),
}
# The append engine costs O(t) per step and 4 MB per 1,000 rounds: 100,000 rounds take over an hour.
_LAST = {_APPEND: 10_000}


def measure(label: str, quick: bool) -> list[dict]:
    """Median seconds per step at each t, for one policy."""
    problem = sine(WARM_UP)
    last = min(_LAST.get(label, 100_000), 1_000 if quick else 100_000)
    checkpoints = [t for t in CHECKPOINTS if t <= last]
    if label == _WITHOUT:
        steps = [_without_weights(problem, t) for t in checkpoints]
    else:
        steps = [_Steps(problem, label, t, last) for t in checkpoints]
    seconds = [[] for _ in checkpoints]
    for _ in range(1 + BLOCKS):
        for block, advance in zip(seconds, steps, strict=True):
            block.append(advance(BLOCK) / BLOCK)
    return [
        {"line": label, "size": t, "seconds": float(np.median(block[1:]))}
        for t, block in zip(checkpoints, seconds, strict=True)
    ]


def draw(rows: list[dict]) -> Figure:
    """Milliseconds per step against t."""
    title = "Time per step, 501 arms, SE kernel"
    return lines.draw(rows, _LOOKS, "round $t$", "milliseconds per step", title)


class _Steps:
    """A policy brought to round t; a call plays on and returns the policy's seconds."""

    def __init__(self, problem: Problem, label: str, t: int, horizon: int) -> None:
        algorithm, parameters = _POLICIES[label]
        long = Problem(problem.arms, problem.kernel, problem.noise_variance, _Length(horizon))
        self._policy = long.policy(algorithm, **parameters)
        self._environment = environments.make("rkhs_sine", n_arms=len(problem.arms))
        self._rng = streams.generator("benchmarks", "rounds", label)
        self._t = t
        played = play(problem.policy(algorithm, **parameters), problem.rewards)
        _bring_to(self._policy, problem, played, t, self._rng)

    def __call__(self, count: int) -> float:
        spent = 0.0
        for t in range(self._t, self._t + count):
            f = self._environment.mean_rewards(t)
            noise = 0.1 * self._rng.standard_normal()
            started = time.process_time()
            arm = self._policy.choose(t, self._rng)
            self._policy.observe(t, arm, float(f[arm] + noise))
            asked = self._policy.expert_queries(t, self._rng)
            if len(asked):
                self._policy.observe_expert(t, asked, f[asked])
            spent += time.process_time() - started
        self._t += count
        return spent


class _Length:
    """Replaces a table of rewards where only the number of rounds matters."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    def __len__(self) -> int:
        return self._rounds


def _bring_to(policy: Policy, problem: Problem, played: np.ndarray, t: int, rng: np.random.Generator) -> None:
    engine = policy._engine
    afresh = ("condition", "condition_sums") if isinstance(engine, Merged) else ()
    for name in afresh:
        setattr(engine, name, lambda *data: None)
    for s in range(1, t):
        if s == t - 1:
            for name in afresh:
                delattr(engine, name)  # restores the method
        row = (s - 1) % len(played)
        arm = int(played[row])
        value = float(problem.rewards[row, arm])
        policy.observe(s, arm, value)
        asked = policy.expert_queries(s, rng)
        if len(asked):
            policy.observe_expert(s, asked, problem.rewards[row, asked])


def _without_weights(problem: Problem, t: int):
    """UI-GP-UCB's step at round t on data merged beforehand: the part independent of t."""
    played = play(problem.policy("ui_gp_ucb", alpha=1.0), problem.rewards)
    arms = np.resize(played, t)
    precision = 1.0 / (problem.noise_variance * (1.0 + np.arange(t - 1, -1, -1.0)))
    values = problem.rewards[np.arange(t) % len(played), arms]
    distinct = np.unique(arms)
    p = np.bincount(arms, precision, len(problem.arms))[distinct]
    mean = np.bincount(arms, precision * values, len(problem.arms))[distinct] / p
    policy = problem.policy("ui_gp_ucb", alpha=1.0)
    policy._engine = make_batch(Prior.of(problem.arms, problem.kernel))
    rng = streams.generator("benchmarks", "rounds", "without")

    def steps(count: int) -> float:
        started = time.process_time()
        for _ in range(count):
            p[0] *= 1.0 + 1e-9  # as in every round; equal sums would not be factorised again
            policy._engine.condition(distinct, mean, 1.0 / p)
            policy.choose(1, rng)
        return time.process_time() - started

    return steps
