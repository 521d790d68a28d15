"""A measured field as an environment: arms are sites or grid cells, rounds are its times.

Readings are used unchanged: no noise is added, and the expert's answers are exact. A site without a
reading is not available in that round. Time passes through gaps of the record: a round's t counts steps
of time, not readings.
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import Environment


def make(arms: np.ndarray, values: np.ndarray, times: np.ndarray | None = None) -> Field:
    """arms: (n_arms, d) coordinates; values: (T, n_arms), NaN for no reading; times: (T,) the t of each
    row, whole numbers from 1 on, increasing, None for 1, 2, ..., T.

    ValueError when shapes disagree, times do not increase, or a round has no reading at all.
    """
    arms, values = np.asarray(arms, dtype=float), np.asarray(values, dtype=float)
    if values.ndim != 2 or arms.shape[0] != values.shape[1]:
        raise ValueError(f"field: values have shape {values.shape}, expected (rounds, {len(arms)} arms)")
    empty = np.flatnonzero(np.isnan(values).all(axis=1))
    if len(empty):
        raise ValueError(f"field: no reading at any site at time index {empty[0]}")
    when = np.arange(1, len(values) + 1) if times is None else np.asarray(times)
    if when.shape != (len(values),) or not np.issubdtype(when.dtype, np.integer):
        raise ValueError(
            f"field: times are {when.dtype} of shape {when.shape}, expected {len(values)} integers"
        )
    if len(when) and (when[0] < 1 or (np.diff(when) < 1).any()):
        raise ValueError("field: times must increase from 1 or later")
    return Field(arms, values, when)


class Field(Environment):
    """Deterministic: seeds differ only in the policy's draws. Its variation is unknown to a learner."""

    noise_std = 0.0
    expert_noise_std = 0.0

    def __init__(self, arms: np.ndarray, values: np.ndarray, times: np.ndarray) -> None:
        self.arms = arms
        self.values = values
        self._times = times
        self._rows = {t: row for row, t in enumerate(times.tolist())}

    def times(self, rounds: int) -> np.ndarray:
        """t of the first `rounds` readings, (rounds,)."""
        return self._times[:rounds]

    def mean_rewards(self, t: int) -> np.ndarray:
        """Readings of round t, (n_arms,), NaN where there is none. ValueError for a t between rounds."""
        if t not in self._rows:
            raise ValueError(f"field: no reading at t = {t}")
        return self.values[self._rows[t]]
