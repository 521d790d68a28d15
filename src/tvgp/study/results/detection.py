"""Detections of changes beside those of a clock."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def by_clock(false_alarms: ArrayLike, within: int, rounds: int) -> np.ndarray:
    """Share of changes less than `within` rounds before a restart if restarts come at equal distances,
    `false_alarms` in `rounds`, and the change at any time: min(1, within false_alarms / rounds)."""
    return np.minimum(1.0, within * np.asarray(false_alarms, dtype=float) / rounds)
