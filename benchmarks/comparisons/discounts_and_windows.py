"""W-GP-UCB and SW-GP-UCB against a dense factorisation of the same data.

The recommended discount and window are computed beforehand; all contenders receive numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.contenders import ours, peer
from benchmarks.harness import Comparison, Contender, Target
from benchmarks.problem import sine
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
            _labelled(peer("dense Cholesky", problem, algorithm, **parameters), label),
            _labelled(ours("tvgp", problem, algorithm, **parameters), label),
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


def _labelled(contender: Contender, label: str) -> Contender:
    floor = contender.floor and (lambda found: contender.floor(found[1]))
    return replace(
        contender, name=f"{contender.name}: {label}", run=lambda: (label, contender.run()), floor=floor
    )


def _same_as_twin():
    seen: dict[str, np.ndarray] = {}

    def check(_, found):
        label, arms = found[0], np.asarray(found[1])
        expected = seen.setdefault(label, arms)
        if np.array_equal(expected, arms):
            return None
        return f"other arms from round {int(np.flatnonzero(expected != arms)[0]) + 1} on"

    return check
