"""A scale on which skewed rewards are nearer to normal ones: z = o + c log(1 + (y - o)/c).

The origin o is an end of the rewards y: with c > 0 the lower one, of rewards with a long upper tail such as
counts and concentrations, with c < 0 the upper one, such as the speed of free traffic. Rewards beyond o keep
their value, z = y, so that z increases everywhere and its slope is 1 at o. z goes to y as |c| grows, and has
the units of y. Where z ~ N(m, v), 1 + (y - o)/c is lognormal:

    E y = o + c (exp((m - o)/c + v/(2 c^2)) - 1),   sd y = |c + E y - o| sqrt(exp(v/c^2) - 1)

The logarithm with a shift is the transformation of Box & Cox (1964) with exponent 0; warped Gaussian
processes learn theirs (Snelson, Rasmussen & Ghahramani 2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_ENDS = (-20.0, 300.0)  # of a logarithm: 1 + (y - o)/c is distinguished from 0 and its square is finite


@dataclass(frozen=True)
class LogScale:
    """c, not 0, and origin, o, in units of the rewards. ValueError for other ones.

    >>> scale = LogScale(2.0)
    >>> scale.of(np.array([-1.0, 0.0, 2.0])).round(3)
    array([-1.   ,  0.   ,  1.386])
    >>> mean, std = scale.moments(np.array([1.386]), np.array([0.0]))
    >>> mean.round(2), std
    (array([2.]), array([0.]))
    """

    c: float
    origin: float = 0.0

    def __post_init__(self) -> None:
        numbers = all(isinstance(each, int | float) and math.isfinite(each) for each in (self.c, self.origin))
        if not (numbers and self.c):
            raise ValueError(
                f"log_scale is {(self.c, self.origin)}, expected c and origin, finite numbers, c not 0"
            )

    def of(self, rewards: np.ndarray | float) -> np.ndarray:
        """z of rewards, of any shape, NaN where they are."""
        y = np.asarray(rewards, dtype=float)
        away = (y - self.origin) / self.c
        return np.where(away < 0.0, y, self.origin + self.c * np.log1p(np.maximum(away, 0.0)))

    def log_slope(self, rewards: np.ndarray) -> np.ndarray:
        """log dz/dy, which turns a log density of z into one of y."""
        return -np.log1p(np.maximum((rewards - self.origin) / self.c, 0.0))

    def moments(self, mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of rewards whose z are normal with these."""
        w = (std / self.c) ** 2
        away = self.c * np.expm1(np.clip((mean - self.origin) / self.c + 0.5 * w, *_ENDS))
        return self.origin + away, np.abs(self.c + away) * np.sqrt(np.expm1(np.minimum(w, _ENDS[1])))
