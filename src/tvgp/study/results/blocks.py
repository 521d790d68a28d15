"""Blocks of rounds: the sample of an experiment on one fixed record.

Runs on a fixed record share its days: their seeds vary ties and subsets only, so an interval over seeds
says nothing about other days. There the sample is days, in blocks, because regret on one day resembles
that on the next: means of m blocks of b consecutive days are nearly independent, and their Student
interval with m - 1 degrees of freedom has the standard error of the block bootstrap (non-overlapping
blocks, Carlstein 1986) without its draws. `bootstrap_interval` draws, from blocks that overlap. b
follows from the autocorrelation (Politis & White 2004, with the correction of Patton, Politis & White
2009). Each variant, and each paired difference, joins blocks by the same rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tvgp import streams
from tvgp.study.results.statistics import Estimate, ratio_of_means

_THRESHOLD = 2.0  # c of Politis & White: correlations below c sqrt(log10 n / n) count as none
_FEWEST = 3  # blocks
DRAWS = 2000  # resamples of the bootstrap


def block_length(values: ArrayLike) -> int:
    """b in rounds for the mean of a series (n,): the b of least mean squared error of the variance,

    b = (2 G^2 / D)^(1/3) n^(1/3),  G = sum_k lambda(k/M) |k| R(k),  D = 4/3 (sum_k lambda(k/M) R(k))^2

    with R the autocovariances, k = -M..M, and lambda the flat-top window: 1 up to 1/2, then falling
    linearly to 0 at 1. M is twice the lag after which max(5, sqrt(log10 n)) correlations in a row are small.
    At least 1 and at most min(3 sqrt n, n / 3). 1 where the mean varies no more than that of independent
    values, as where parts of a day alternate: D says by what they vary, and is nearly 0 there.
    """
    x = np.asarray(values, dtype=float)
    n = len(x)
    x = x - x.mean()
    variance = x @ x / max(n, 1)
    if n < 2 * _FEWEST or variance <= 1e-18:
        return 1
    longest = min(int(np.ceil(3 * np.sqrt(n))), n // _FEWEST)
    row = max(5, int(np.sqrt(np.log10(n))))
    most = min(n - 1, int(np.ceil(np.sqrt(n))) + row)
    R = np.array([x[: n - k] @ x[k:] / n for k in range(most + 1)])
    small = np.abs(R[1:] / variance) < _THRESHOLD * np.sqrt(np.log10(n) / n)
    quiet = [lag for lag in range(most - row + 1) if small[lag : lag + row].all()]
    M = min(2 * max(quiet[0] if quiet else most - row, 1), most)
    k = np.arange(1, M + 1)
    weighted = np.clip(2 * (1 - k / M), 0.0, 1.0) * R[1 : M + 1]
    G, spectrum = 2 * (weighted @ k), R[0] + 2 * weighted.sum()
    if spectrum <= R[0]:
        return 1
    b = np.cbrt(2 * G**2 / (4 / 3 * spectrum**2) * n)
    return int(np.clip(np.ceil(b), 1, longest))


def common_length(regret: ArrayLike) -> int:
    """One b for all variants, so that differences can be paired: the median, rounded up, of theirs.

    regret (policy, seed, round); variants without any variation, such as the oracle, do not count.
    """
    series = np.asarray(regret, dtype=float).mean(axis=1)
    lengths = [block_length(x) for x in series if np.ptp(x) > 0]
    return int(np.ceil(np.median(lengths))) if lengths else 1


def hours_of_day(time: np.ndarray) -> np.ndarray:
    """The hour, 0 to 23, of each time (n,), datetime64 of any unit."""
    return time.astype("datetime64[h]").astype(int) % 24


def block_means(values: ArrayLike, length: int) -> np.ndarray:
    """Means of n // length blocks of nearly equal size, (..., m), of series (..., n), whose deviations from
    their mean are weighted by the size, so that their mean is that of the series."""
    x = np.asarray(values, dtype=float)
    n = x.shape[-1]
    m = max(n // length, 1)
    mean = x.mean(axis=-1, keepdims=True)
    starts = np.arange(m) * (n // m) + np.minimum(np.arange(m), n % m)  # as np.array_split
    return mean + np.add.reduceat(x - mean, starts, axis=-1) * m / n


def joined(values: ArrayLike) -> np.ndarray:
    """Values of a variant by blocks (m,), or the paired difference of two, by blocks that are joined as far
    as neighbours resemble each other. One length for all variants is too short for some; and what two share,
    such as hard days, cancels, and may have hidden for how long the rest does."""
    return block_means(values, block_length(values))


def ratio(a: ArrayLike, b: ArrayLike) -> Estimate:
    """mean a / mean b by blocks (m,), joined as the difference that each makes to it."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = block_length(a - a.mean() / b.mean() * b)
    return ratio_of_means(block_means(a, length), block_means(b, length))


def bootstrap_interval(values: ArrayLike, length: int, *names: str) -> tuple[float, float]:
    """95 % interval of the mean of a series (n,) by the circular block bootstrap (Politis & Romano 1992).

    Each of `DRAWS` resamples joins ceil(n / b) blocks of b = length rounds, which start anywhere and go
    on from the end to the beginning; the interval has the quantiles .025 and .975 of their means. names: of
    the random stream.
    """
    x = np.asarray(values, dtype=float)
    n = len(x)
    length = min(length, n)
    sums = np.convolve(np.concatenate([x, x[: length - 1]]), np.ones(length), mode="valid")
    starts = streams.generator("block bootstrap", *names).integers(n, size=(DRAWS, -(-n // length)))
    low, high = np.quantile(sums[starts].mean(axis=1) / length, (0.025, 0.975))
    return float(low), float(high)
