"""Standard functions of global optimisation in two dimensions (Janz20, section 5, Fig. 2).

The paper does not name its four; its code has these five. Each is a function g to be minimised
(Surjanovic & Bingham, Virtual Library of Simulation Experiments) on a rectangle that is mapped to
[0, 1]^2; the reward is -g, scaled to [-1, 1] by the extremes on the grid of 30 x 30 points, and the
noise is uniform on [-0.1, 0.1].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tvgp.environments.base.static import Static
from tvgp.environments.matern_rkhs import grid


class Problem(NamedTuple):
    """A function to be minimised and its rectangle, ((x_min, x_max), (y_min, y_max))."""

    cost: Callable[[np.ndarray, np.ndarray], np.ndarray]
    rectangle: tuple[tuple[float, float], tuple[float, float]]


def _eggholder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    inner = np.sqrt(np.abs(x / 2.0 + y + 47.0))
    return -(y + 47.0) * np.sin(inner) - x * np.sin(np.sqrt(np.abs(x - (y + 47.0))))


def _rosenbrock(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 100.0 * (y - x**2) ** 2 + (1.0 - x) ** 2


def _six_hump_camel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (4.0 - 2.1 * x**2 + x**4 / 3.0) * x**2 + x * y + (4.0 * y**2 - 4.0) * y**2


def _bukin6(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 100.0 * np.sqrt(np.abs(y - 0.01 * x**2)) + 0.01 * np.abs(x + 10.0)


def _schaffer2(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    wave = np.sin(x**2 - y**2) ** 2 - 0.5
    return 0.5 + wave / (1.0 + 0.001 * (x**2 + y**2)) ** 2


PROBLEMS = {
    "eggholder": Problem(_eggholder, ((-512.0, 512.0), (-512.0, 512.0))),
    "rosenbrock": Problem(_rosenbrock, ((-2.048, 2.048), (-2.048, 2.048))),
    "six_hump_camel": Problem(_six_hump_camel, ((-3.0, 3.0), (-2.0, 2.0))),
    "bukin6": Problem(_bukin6, ((-15.0, 5.0), (-3.0, 3.0))),
    "schaffer2": Problem(_schaffer2, ((-2.5, 2.5), (-2.5, 2.5))),
}


def make(function: str = "eggholder", n_side: int = 30, noise_bound: float = 0.1) -> GlobalOptimisation:
    """One function on n_side^2 arms. ValueError for an unknown function."""
    if function not in PROBLEMS:
        raise ValueError(
            f"global_optimisation: function is {function!r}, expected one of {', '.join(PROBLEMS)}"
        )
    return GlobalOptimisation(function, n_side, noise_bound)


class GlobalOptimisation(Static):
    """One static function; seeds differ only in noise and the policy's draws."""

    noise_law = "uniform"

    def __init__(self, function: str, n_side: int, noise_bound: float) -> None:
        self.function = function
        problem = PROBLEMS[function]
        self.arms = grid(n_side, 2)
        self.noise_std = self.expert_noise_std = noise_bound / np.sqrt(3.0)
        lower, upper = np.array(problem.rectangle).T
        reward = -problem.cost(*(lower + self.arms * (upper - lower)).T)
        low, high = reward.min(), reward.max()
        self._values = 2.0 * (reward - high) / (high - low) + 1.0
