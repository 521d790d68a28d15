"""A measured field as an environment: arms are sites or grid cells, rounds are its times.

Readings are used unchanged: no noise is added, and the expert's answers are exact. A site without a
reading is not available in that round.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment


def make(arms: np.ndarray, values: np.ndarray) -> Field:
    """arms: (n_arms, d) coordinates; values: (T, n_arms), NaN for no reading.

    ValueError when shapes disagree or a round has no reading at all.
    """
    arms, values = np.asarray(arms, dtype=float), np.asarray(values, dtype=float)
    if values.ndim != 2 or arms.shape[0] != values.shape[1]:
        raise ValueError(f"field: values have shape {values.shape}, expected (rounds, {len(arms)} arms)")
    empty = np.flatnonzero(np.isnan(values).all(axis=1))
    if len(empty):
        raise ValueError(f"field: no reading at any site at time index {empty[0]}")
    return Field(arms, values)


class Field(Environment):
    """Deterministic: seeds differ only in the policy's draws. Its variation is unknown to a learner."""

    noise_std = 0.0
    expert_noise_std = 0.0

    def __init__(self, arms: np.ndarray, values: np.ndarray) -> None:
        self.arms = arms
        self.values = values

    def mean_rewards(self, t: int) -> np.ndarray:
        """Readings of round t, (n_arms,), NaN where there is none."""
        return self.values[t - 1]
