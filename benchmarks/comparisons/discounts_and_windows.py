"""W-GP-UCB and SW-GP-UCB against a dense factorisation of the same data.

The recommended discount and window are computed beforehand; all contenders receive numbers.
"""

from __future__ import annotations

import numpy as np

from benchmarks.comparisons.constant_noise import dense_cholesky
from benchmarks.harness import Comparison, Contender, Target
from benchmarks.problem import Problem, forget, lend, play, sine
from tvgp.posterior import Prior
from tvgp.theory.schedules import recommended_discount

WINDOWS = (3, 73, 200)


def make(horizon: int = 500) -> Comparison:
    """Whole runs, T = 500, 501 arms."""
    problem = sine(horizon)
    prior = Prior.of(problem.arms, problem.kernel)
    recommended = recommended_discount(prior, problem.noise_variance, horizon)
    jobs = {f"W, gamma {recommended:.3f}": ("w_gp_ucb", {"gamma": recommended})}
    jobs |= {"W, gamma 0.99": ("w_gp_ucb", {"gamma": 0.99})}
    jobs |= {f"SW, window {size}": ("sw_gp_ucb", {"window": size}) for size in WINDOWS}
    contenders, targets = [], []
    for label, (algorithm, parameters) in jobs.items():
        contenders += [
            Contender(f"dense Cholesky: {label}", _peer(problem, algorithm, parameters)),
            Contender(f"tvgp: {label}", _ours(problem, algorithm, parameters)),
        ]
        targets.append(Target(f"dense Cholesky: {label}", f"tvgp: {label}", 1))
    return Comparison(
        name="discounts_and_windows",
        title="W-GP-UCB and SW-GP-UCB",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, the same window or discount for both",
        contenders=contenders,
        targets=targets,
        check=_same_as_twin(),
    )


def _ours(problem: Problem, algorithm: str, parameters: dict):
    def run():
        forget()
        return algorithm, parameters, play(problem.policy(algorithm, **parameters), problem.rewards)

    return run


def _peer(problem: Problem, algorithm: str, parameters: dict):
    def run():
        engine = dense_cholesky()(problem.arms, problem.kernel, problem.noise_variance)
        policy = lend(problem.policy(algorithm, **parameters), engine)
        return algorithm, parameters, play(policy, problem.rewards)

    return run


def _same_as_twin():
    seen: dict[str, np.ndarray] = {}

    def check(_, found):
        algorithm, parameters, arms = found
        arms = np.asarray(arms)
        expected = seen.setdefault(f"{algorithm} {parameters}", arms)
        if np.array_equal(expected, arms):
            return None
        return f"other arms from round {int(np.flatnonzero(expected != arms)[0]) + 1} on"

    return check
