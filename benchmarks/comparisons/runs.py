"""Whole runs of one policy, on tvgp's posterior and on those of peers: 501 arms, SE kernel."""

from __future__ import annotations

import importlib

import numpy as np

from benchmarks.harness import Comparison, Contender, Target, needs, same_arms
from benchmarks.peers.refit import Refit
from benchmarks.problem import Problem, forget, lend, play, sine
from tvgp.posterior import Prior
from tvgp.theory.schedules import recommended_discount

EPSILON = 0.03
WINDOWS = (3, 73, 200)

_PEERS = {  # contender: module, class, package that must be installed
    "dense Cholesky": ("dense_cholesky", "DenseCholesky", "scipy"),
    "scikit-learn refit": ("scikit_learn", "ScikitLearn", "sklearn"),
    "GPyTorch": ("gpytorch", "GPyTorch", "gpytorch"),
    "BoTorch": ("botorch", "BoTorch", "botorch"),
}


def engine(peer: str) -> type[Refit]:
    """The posterior of a peer; its package is imported on first use, so that none is required."""
    module, kind, _ = _PEERS[peer]
    return getattr(importlib.import_module(f"benchmarks.peers.{module}"), kind)


def constant_noise(horizon: int) -> Comparison:
    """GP-UCB: append and weight space against refitting."""
    job = {"problem": sine(horizon), "algorithm": "gp_ucb"}
    return Comparison(
        title="GP-UCB, constant noise",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, noise variance 0.02 of the signal's",
        contenders=[
            _peer("dense Cholesky", engine="append", **job),
            _ours("tvgp (auto)", **job),
            _ours("tvgp (auto), not the first run", cold=False, **job),
            _ours("tvgp append", engine="append", **job),
            _ours("tvgp weight space", engine="weight_space", **job),
            *(_peer(name, engine="append", **job) for name in ("scikit-learn refit", "GPyTorch", "BoTorch")),
        ],
        targets=[
            Target("scikit-learn refit", "tvgp (auto)", 100),
            Target("scikit-learn refit", "tvgp (auto), not the first run"),
            *(Target(name, "tvgp (auto)") for name in ("dense Cholesky", "GPyTorch", "BoTorch")),
            Target("tvgp append", "tvgp weight space"),
        ],
    )


def time_kernel(horizon: int) -> Comparison:
    """TV-GP-UCB: scaling and Kalman steps against a dense factorisation each step."""
    job = {"problem": sine(horizon), "algorithm": "tv_gp_ucb", "epsilon": EPSILON}
    return Comparison(
        title="TV-GP-UCB",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, epsilon = {EPSILON}",
        contenders=[
            _peer("dense Cholesky", engine="append", **job),
            _ours("tvgp (auto)", **job),
            _ours("tvgp append", engine="append", **job),
            _ours("tvgp weight space", engine="weight_space", **job),
            _peer("scikit-learn refit", engine="append", **job),
        ],
        targets=[
            Target("dense Cholesky", "tvgp (auto)", 70),
            Target("scikit-learn refit", "tvgp (auto)"),
            Target("tvgp append", "tvgp weight space"),
        ],
    )


def changing_noise(horizon: int) -> Comparison:
    """UI-GP-UCB: all noise variances grow with age and change each step."""
    job = {"problem": sine(horizon), "algorithm": "ui_gp_ucb", "alpha": 1.0}
    return Comparison(
        title="UI-GP-UCB, all noises change each step",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, noise variance 0.01 (1 + age)",
        contenders=[
            _peer("dense Cholesky", **job),
            _ours("tvgp (auto)", **job),
            _peer("scikit-learn refit", **job),
            _peer("GPyTorch", **job),
        ],
        targets=[
            Target("scikit-learn refit", "tvgp (auto)", 12),
            Target("dense Cholesky", "tvgp (auto)", 6),
            Target("GPyTorch", "tvgp (auto)"),
        ],
    )


def discounts_and_windows(horizon: int) -> Comparison:
    """W-GP-UCB and SW-GP-UCB; the recommended discount is computed beforehand."""
    problem = sine(horizon)
    prior = Prior.of(problem.arms, problem.kernel)
    discounts = (recommended_discount(prior, problem.noise_variance, horizon), 0.99)
    jobs = {f"W, gamma {gamma:.3g}": ("w_gp_ucb", {"gamma": gamma}) for gamma in discounts}
    jobs |= {f"SW, window {size}": ("sw_gp_ucb", {"window": size}) for size in WINDOWS}
    contenders, targets = [], []
    for label, (algorithm, parameters) in jobs.items():
        dense = _peer("dense Cholesky", problem, algorithm, **parameters)
        ours = _ours("tvgp", problem, algorithm, **parameters)
        both = [_labelled(each, label) for each in (dense, ours)]
        contenders += both
        targets.append(Target(both[0].name, both[1].name, 1))
    expected: dict[str, np.ndarray] = {}
    return Comparison(
        title="W-GP-UCB and SW-GP-UCB",
        job=f"one run, T = {horizon}, 501 arms, SE kernel, the same window or discount for both",
        contenders=contenders,
        targets=targets,
        check=lambda _, found: same_arms(expected.setdefault(found[0], found[1]), found[1]),
    )


def _labelled(contender: Contender, label: str) -> Contender:
    return Contender(f"{contender.name}: {label}", lambda: (label, contender.run()), contender.missing)


def _ours(name: str, problem: Problem, algorithm: str, cold: bool = True, **parameters) -> Contender:
    """A run on tvgp's posterior, from cold unless told otherwise."""

    def run():
        if cold:
            forget()
        return play(problem.policy(algorithm, **parameters), problem.rewards)

    return Contender(name, run)


def _peer(name: str, problem: Problem, algorithm: str, **parameters) -> Contender:
    """The same run on the posterior of a peer."""

    def run():
        given = problem.arms, problem.kernel, problem.noise_variance, parameters.get("epsilon", 0.0)
        return play(lend(problem.policy(algorithm, **parameters), engine(name)(*given)), problem.rewards)

    return Contender(name, run, needs(_PEERS[name][2]))
