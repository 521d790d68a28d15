"""Means over runs with 95 % intervals, paired comparisons, and slopes of logarithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

LEVEL = 0.95
RESAMPLES = 1000


@dataclass(frozen=True)
class Estimate:
    """A mean with the two ends of its confidence interval; NaN ends where there is none: one run,
    or a value that is computed, not sampled (`runs` 0)."""

    mean: float
    low: float
    high: float
    runs: int

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """A value that is computed, not sampled."""
        return cls(float(value), np.nan, np.nan, 0)


def half_width(values: ArrayLike) -> np.ndarray:
    """Half the Student-t interval of the mean over the first axis, t_{n-1} s / sqrt(n).

    values (n, ...) -> (...). NaN for n = 1: one run has no interval.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return stats.t.ppf(0.5 + LEVEL / 2, len(values) - 1) * stats.sem(values)


def mean_interval(values: ArrayLike) -> Estimate:
    """Mean over runs, values (n,), with its Student-t interval."""
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"mean_interval: values have shape {values.shape}, expected (n,), n >= 1")
    mean, half = float(values.mean()), float(half_width(values))
    return Estimate(mean, mean - half, mean + half, len(values))


def share_interval(held: int, runs: int) -> Estimate:
    """Share held / runs with its Clopper-Pearson interval, which has a width even where all runs
    agree. ValueError unless 0 <= held <= runs and there is a run."""
    if not 0 <= held <= runs or runs < 1:  # for which some versions of SciPy give NaN
        raise ValueError(f"share_interval: {held} of {runs} runs, expected 0 <= held <= runs and a run")
    ends = stats.binomtest(held, runs).proportion_ci(LEVEL, "exact")
    return Estimate(held / runs, float(ends.low), float(ends.high), runs)


def paired_difference(a: ArrayLike, b: ArrayLike) -> Estimate:
    """Mean of a - b over runs with the same random draws, with its interval.

    Pairing removes the variation that the draws share; a and b must list the same runs in one order.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        raise ValueError(f"paired_difference: {a.shape} and {b.shape} runs cannot be paired")
    return mean_interval(a - b)


def growth_of_totals(totals: ArrayLike, horizons: ArrayLike, rng: np.random.Generator) -> Estimate:
    """Slope of log R_T on log T by least squares, R_T the mean over runs.

    totals (runs, m): R_T of each run at m horizons T. The interval is the percentile bootstrap over
    runs (NaN ends for one run), which keeps the rounds of a run together. NaN where R_T is not
    positive, as a logarithm needs. ValueError for fewer than two horizons.
    """
    totals, horizons = np.asarray(totals, dtype=float), np.asarray(horizons, dtype=float)
    if totals.ndim != 2 or totals.shape[1] != len(horizons) or len(horizons) < 2:
        raise ValueError(
            f"growth exponent: totals have shape {totals.shape} at {horizons.size} horizons;"
            " expected (runs, horizons) with two or more"
        )
    runs = len(totals)
    x = np.log(horizons) - np.log(horizons).mean()

    def slope(mean: np.ndarray) -> np.ndarray:
        positive = np.all(mean > 0, axis=-1)
        logs = np.log(np.where(positive[..., np.newaxis], mean, 1.0))
        return np.where(positive, logs @ x / (x @ x), np.nan)

    centre = float(slope(totals.mean(axis=0)))
    if runs < 2:
        return Estimate(centre, np.nan, np.nan, runs)
    weights = rng.multinomial(runs, np.full(runs, 1.0 / runs), size=RESAMPLES) / runs
    return Estimate(centre, *_percentiles(slope(weights @ totals)), runs)


def log_slope(log_x: ArrayLike, samples: list[np.ndarray], rng: np.random.Generator) -> Estimate:
    """Least-squares slope of the log of means on log x, with its bootstrap interval.

    log_x (p,); samples: p vectors of runs, resampled independently of one another (NaN ends where
    one has a single run). ValueError for fewer than two points or a mean that is not positive.
    """
    x = np.asarray(log_x, dtype=float)
    if len(x) < 2 or len(samples) != len(x):
        raise ValueError(f"log_slope: {len(x)} points and {len(samples)} samples; 2 or more needed")
    x = x - x.mean()
    means = np.array([np.mean(sample) for sample in samples])
    if not (means > 0).all():
        raise ValueError("log_slope: a mean is not positive, so it has no logarithm")
    centre, runs = float(np.log(means) @ x / (x @ x)), min(map(len, samples))
    if runs < 2:
        return Estimate(centre, np.nan, np.nan, runs)
    drawn = np.stack(
        [np.asarray(s)[rng.integers(len(s), size=(RESAMPLES, len(s)))].mean(axis=1) for s in samples],
        axis=1,
    )
    slopes = np.log(np.maximum(drawn, np.finfo(float).tiny)) @ x / (x @ x)
    return Estimate(centre, *_percentiles(slopes), runs)


def _percentiles(slopes: np.ndarray) -> tuple[float, float]:
    """Ends of the percentile interval."""
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(slopes, [tail, 1.0 - tail])
    return float(low), float(high)
