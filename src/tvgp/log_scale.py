"""A scale on which skewed rewards are nearer to normal ones: z = c log(1 + y/c).

c > 0 is for rewards y of 0 or more, c < 0 for those of 0 or less, as of what is minimised. Those beyond 0
keep their value, z = y, so that z increases everywhere and its slope is 1 at 0. z goes to y as |c| grows,
and has the units of y. Where z ~ N(m, v), 1 + y/c is lognormal:

    E y = c (exp(m/c + v/(2 c^2)) - 1),   sd y = |c + E y| sqrt(exp(v/c^2) - 1)

The logarithm with a shift is the transformation of Box & Cox (1964) with exponent 0; warped Gaussian
processes learn theirs (Snelson, Rasmussen & Ghahramani 2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LogScale:
    """c: in units of the rewards, not 0. ValueError for another one.

    >>> scale = LogScale(2.0)
    >>> scale.of(np.array([-1.0, 0.0, 2.0])).round(3)
    array([-1.   ,  0.   ,  1.386])
    >>> mean, std = scale.moments(np.array([1.386]), np.array([0.0]))
    >>> mean.round(2), std
    (array([2.]), array([0.]))
    """

    c: float

    def __post_init__(self) -> None:
        if not (isinstance(self.c, int | float) and math.isfinite(self.c) and self.c):
            raise ValueError(f"log_scale is {self.c!r}, expected a finite number other than 0")

    def of(self, rewards: np.ndarray | float) -> np.ndarray:
        """z of rewards, of any shape, NaN where they are."""
        y = np.asarray(rewards, dtype=float)
        return np.where(y / self.c < 0.0, y, self.c * np.log1p(np.maximum(y / self.c, 0.0)))

    def log_slope(self, rewards: np.ndarray) -> np.ndarray:
        """log dz/dy, which turns a log density of z into one of y."""
        return -np.log1p(np.maximum(rewards / self.c, 0.0))

    def moments(self, mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of rewards whose z are normal with these."""
        w = (std / self.c) ** 2
        rewards = self.c * np.expm1(mean / self.c + 0.5 * w)
        return rewards, np.abs(self.c + rewards) * np.sqrt(np.expm1(w))
