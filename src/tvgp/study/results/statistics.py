"""Means over runs with intervals, and paired comparisons on common random numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

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


def share_interval(held: int, runs: int, level: float = LEVEL) -> Estimate:
    """Share held / runs with its Clopper-Pearson interval, which does not shrink to a point where
    all runs agree. ValueError unless 0 <= held <= runs and there is a run."""
    if not 0 <= held <= runs or runs == 0:
        raise ValueError(f"share_interval: {held} of {runs} runs; expected 0 to runs, runs >= 1")
    tail = (1 - level) / 2
    low = 0.0 if held == 0 else float(betaincinv(held, runs - held + 1, tail))
    high = 1.0 if held == runs else float(betaincinv(held + 1, runs - held, 1 - tail))
    return Estimate(held / runs, low, high, runs)


def paired_difference(a: np.ndarray, b: np.ndarray, level: float = LEVEL) -> Estimate:
    """Mean of a - b over runs that met the same random draws, with its interval.

    Pairing removes what the draws have in common; a and b must list the same runs in one order.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        raise ValueError(f"paired_difference: {a.shape} and {b.shape} runs cannot be paired")
    return mean_interval(a - b, level)


def growth_exponent(
    regret: np.ndarray,
    rng: np.random.Generator,
    *,
    decade: float = 10.0,
    points: int = 21,
    resamples: int = 1000,
    level: float = LEVEL,
) -> Estimate:
    """Slope of log R_T on log T over the last decade, R_T the mean over runs.

    regret (n, T): r_t of each run. Least squares at `points` horizons equally spaced in log T from
    T/decade to T; the interval is the percentile bootstrap over runs (NaN ends for one run), which
    keeps the rounds of a run together. NaN where R_T is not positive, as a logarithm needs.
    ValueError for fewer than 100 rounds: a decade of fewer than 10 rounds has no slope.
    """
    regret = np.asarray(regret, dtype=float)
    if regret.ndim != 2 or not len(regret):
        raise ValueError(f"growth_exponent: regret has shape {regret.shape}, expected (runs, T)")
    runs, horizon = regret.shape
    if horizon < 100:
        raise ValueError(f"growth_exponent: horizon is {horizon}, too short for a slope; 100 needed")
    at = np.unique(np.geomspace(horizon / decade, horizon, points).round().astype(int))
    totals = np.cumsum(regret, axis=1)[:, at - 1]
    return growth_of_totals(totals, at, rng, resamples=resamples, level=level)


def growth_of_totals(
    totals: np.ndarray,
    horizons: np.ndarray,
    rng: np.random.Generator,
    *,
    resamples: int = 1000,
    level: float = LEVEL,
) -> Estimate:
    """`growth_exponent` from R_T itself, totals (runs, m), at m horizons T.

    ValueError for fewer than two horizons.
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
        positive = (mean > 0).all(axis=-1)
        logs = np.log(np.where(positive[..., None], mean, 1.0))
        return np.where(positive, logs @ x / (x @ x), np.nan)

    centre = float(slope(totals.mean(axis=0)))
    if runs < 2:
        return Estimate(centre, np.nan, np.nan, runs)
    weights = rng.multinomial(runs, np.full(runs, 1.0 / runs), size=resamples) / runs
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(slope(weights @ totals), [tail, 1.0 - tail])
    return Estimate(centre, float(low), float(high), runs)


def log_slope(
    log_x: np.ndarray,
    samples: list[np.ndarray],
    rng: np.random.Generator,
    *,
    resamples: int = 1000,
    level: float = LEVEL,
) -> Estimate:
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
        [np.asarray(s)[rng.integers(len(s), size=(resamples, len(s)))].mean(axis=1) for s in samples],
        axis=1,
    )
    slopes = np.log(np.maximum(drawn, np.finfo(float).tiny)) @ x / (x @ x)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(slopes, [tail, 1.0 - tail])
    return Estimate(centre, float(low), float(high), runs)


def ranks(values: np.ndarray) -> np.ndarray:
    """Rank 1 for the smallest; equal values share the mean of their ranks. (n,) -> (n,)."""
    values = np.asarray(values, dtype=float)
    below = (values[:, None] > values[None, :]).sum(axis=1)
    equal = (values[:, None] == values[None, :]).sum(axis=1)
    return below + (equal + 1) / 2
