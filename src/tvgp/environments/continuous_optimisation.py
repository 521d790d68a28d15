"""Standard functions of global optimisation on a box, for batches of points (Vakili21's published
version: Shekel in 4 dimensions, Ackley in 5, Hartmann in 6).

Each is a function g to be minimised (Surjanovic & Bingham, Virtual Library of Simulation
Experiments, sfu.ca/~ssurjano; Shekel's seventh centre is (5, 3, 5, 3) there and in the authors' library,
trieste, and (5, 5, 3, 3) in Dixon & Szego 1978). Its domain is mapped to [0, 1]^d and the reward is -g.
Observations have Gaussian noise of variance 0.5, the authors' value for Hartmann. A finite set of points
of the box serves as arms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tvgp.environments.base.spread import spread_points
from tvgp.environments.base.static import Static


class Problem(NamedTuple):
    """A function to be minimised, points (n, d) -> (n,); d; the interval of every coordinate; the
    minimum."""

    cost: Callable[[np.ndarray], np.ndarray]
    d: int
    interval: tuple[float, float]
    least: float


_SHEKEL_C = np.array(
    [
        [4, 4, 4, 4],
        [1, 1, 1, 1],
        [8, 8, 8, 8],
        [6, 6, 6, 6],
        [3, 7, 3, 7],
        [2, 9, 2, 9],
        [5, 3, 5, 3],
        [8, 1, 8, 1],
        [6, 2, 6, 2],
        [7, 3.6, 7, 3.6],
    ]
)
_SHEKEL_BETA = np.array([1, 2, 2, 4, 4, 6, 3, 7, 5, 5]) / 10.0

_HARTMANN_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMANN_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _shekel(x: np.ndarray) -> np.ndarray:
    squares = ((x[:, None, :] - _SHEKEL_C) ** 2).sum(axis=2)
    return -(1.0 / (squares + _SHEKEL_BETA)).sum(axis=1)


def _ackley(x: np.ndarray) -> np.ndarray:
    root = np.sqrt((x**2).mean(axis=1))
    waves = np.cos(2.0 * np.pi * x).mean(axis=1)
    return -20.0 * np.exp(-0.2 * root) - np.exp(waves) + 20.0 + np.e


def _hartmann(x: np.ndarray) -> np.ndarray:
    inner = (_HARTMANN_A * (x[:, None, :] - _HARTMANN_P) ** 2).sum(axis=2)
    return -np.exp(-inner) @ _HARTMANN_ALPHA


PROBLEMS = {
    "shekel": Problem(_shekel, 4, (0.0, 10.0), -10.53644315348353),
    "ackley": Problem(_ackley, 5, (-32.768, 32.768), 0.0),
    "hartmann": Problem(_hartmann, 6, (0.0, 1.0), -3.322368011391339),
}


def make(
    function: str = "hartmann", noise_variance: float = 0.5, n_arms: int = 1000
) -> ContinuousOptimisation:
    """One function. n_arms: number of evenly spread points that serve as arms. ValueError for an
    unknown function."""
    if function not in PROBLEMS:
        raise ValueError(
            f"continuous_optimisation: function is {function!r}, expected one of {', '.join(PROBLEMS)}"
        )
    return ContinuousOptimisation(function, noise_variance, n_arms)


class ContinuousOptimisation(Static):
    """One static function; seeds differ only in noise and the policy's draws."""

    def __init__(self, function: str, noise_variance: float, n_arms: int) -> None:
        self.function = function
        self._problem = problem = PROBLEMS[function]
        self.domain = np.array([np.zeros(problem.d), np.ones(problem.d)])
        self.optimum = -problem.least
        self.noise_std = self.expert_noise_std = float(np.sqrt(noise_variance))
        self.arms = spread_points(n_arms, problem.d)
        self._values = self.mean_reward_at(self.arms)

    def optimum_at(self, t: int) -> float:
        """max f."""
        return self.optimum

    def mean_reward_at(self, points: np.ndarray, t: int = 1) -> np.ndarray:
        """f at points (n, d) of [0, 1]^d, (n,), the same in every round."""
        low, high = self._problem.interval
        return -self._problem.cost(low + (high - low) * np.asarray(points, dtype=float))
