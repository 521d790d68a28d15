"""Means over runs with intervals, and paired comparisons on common random numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with the two ends of its confidence interval; NaN ends where one run says nothing."""

    mean: float
    low: float
    high: float
    runs: int


def half_width(values: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Half the Student-t interval of the mean over the first axis, t_{n-1} s / sqrt(n).

    values (n, ...) -> (...). NaN for n = 1: one run has no interval.
    """
    values = np.asarray(values, dtype=float)
    runs = len(values)
    if runs < 2:
        return np.full(values.shape[1:], np.nan)
    quantile = stdtrit(runs - 1, 0.5 + level / 2)
    return quantile * values.std(axis=0, ddof=1) / np.sqrt(runs)


def mean_interval(values: np.ndarray, level: float = LEVEL) -> Estimate:
    """Mean over runs, values (n,), with its Student-t interval."""
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"mean_interval: values have shape {values.shape}, expected (n,), n >= 1")
    mean, half = float(values.mean()), float(half_width(values, level))
    return Estimate(mean, mean - half, mean + half, len(values))


def paired_difference(a: np.ndarray, b: np.ndarray, level: float = LEVEL) -> Estimate:
    """Mean of a - b over runs that met the same random draws, with its interval.

    Pairing removes what the draws have in common; a and b must list the same runs in one order.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        raise ValueError(f"paired_difference: {a.shape} and {b.shape} runs cannot be paired")
    return mean_interval(a - b, level)


def ranks(values: np.ndarray) -> np.ndarray:
    """Rank 1 for the smallest; equal values share the mean of their ranks. (n,) -> (n,)."""
    values = np.asarray(values, dtype=float)
    below = (values[:, None] > values[None, :]).sum(axis=1)
    equal = (values[:, None] == values[None, :]).sum(axis=1)
    return below + (equal + 1) / 2
