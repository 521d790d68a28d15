"""Regret of a run: what the best available arm would have earned, less what was earned."""

from __future__ import annotations

import numpy as np


def instantaneous_regret(mean_rewards: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """r_t = max_x f_t(x) - f_t(x_t), (T,), from the (T, n_arms) table and the arms played (T,).

    NaN entries of the table are arms that were not available: they do not count for the maximum.
    ValueError if such an arm was played or a round has no arm.
    """
    played = mean_rewards[np.arange(len(arms)), arms]
    if np.isnan(played).any():
        t = int(np.flatnonzero(np.isnan(played))[0]) + 1
        raise ValueError(f"round {t}: arm {arms[t - 1]} was played but is not available")
    return np.nanmax(mean_rewards, axis=1) - played


def average_regret(regret: np.ndarray) -> np.ndarray:
    """R_t / t along the last axis."""
    return np.cumsum(regret, axis=-1) / np.arange(1, regret.shape[-1] + 1)
