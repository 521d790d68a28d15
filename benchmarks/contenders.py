"""Contenders that play whole runs of one policy: tvgp itself, and the policy on a peer's posterior."""

from __future__ import annotations

import importlib

from benchmarks import floors
from benchmarks.harness import Contender, needs
from benchmarks.peers.refit import Refit
from benchmarks.problem import Problem, forget, lend, play

_PEERS = {  # contender: module, class, package that must be installed
    "dense Cholesky": ("dense_cholesky", "DenseCholesky", "scipy"),
    "scikit-learn refit": ("scikit_learn", "ScikitLearn", "sklearn"),
    "GPyTorch": ("gpytorch", "GPyTorch", "gpytorch"),
    "BoTorch": ("botorch", "BoTorch", "botorch"),
}


def engine(name: str) -> type[Refit]:
    """The posterior of a peer; its package is imported on first use, so that none is required."""
    module, kind, _ = _PEERS[name]
    return getattr(importlib.import_module(f"benchmarks.peers.{module}"), kind)


def ours(name: str, problem: Problem, algorithm: str, cold: bool = True, **parameters) -> Contender:
    """A run on tvgp's posterior, from cold unless told otherwise."""

    def run():
        if cold:
            forget()
        return play(problem.policy(algorithm, **parameters), problem.rewards)

    return Contender(name, run, floor=lambda arms: floors.seconds(algorithm, problem, arms, parameters))


def peer(name: str, problem: Problem, algorithm: str, **parameters) -> Contender:
    """The same run on the posterior of a peer."""

    def run():
        given = problem.arms, problem.kernel, problem.noise_variance, parameters.get("epsilon", 0.0)
        return play(lend(problem.policy(algorithm, **parameters), engine(name)(*given)), problem.rewards)

    return Contender(name, run, needs(_PEERS[name][2]))
