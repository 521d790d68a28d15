"""Evenly spread points of the unit cube."""

from __future__ import annotations

import numpy as np


def spread_points(n: int, d: int) -> np.ndarray:
    """n points of [0, 1]^d from the additive recurrence of Roberts (2018), (n, d): point i is
    1/2 + i (1/g, 1/g^2, ...) modulo 1, g the positive root of g^(d+1) = g + 1."""
    g = 2.0
    for _ in range(60):
        g = (1.0 + g) ** (1.0 / (d + 1))
    steps = g ** -np.arange(1.0, d + 1)
    return (0.5 + np.arange(1, n + 1)[:, None] * steps) % 1.0
