"""Plain correlations of a panel with itself some rounds later: no model, gaps left out."""

from __future__ import annotations

import numpy as np


def lag_correlations(values: np.ndarray, times: np.ndarray, longest: int, least: int = 1) -> np.ndarray:
    """Correlation of y_x(t) - mean_x with y_x(t + lag) - mean_x over all sites x, for lags 1 to `longest`.

    values (T, S), NaN where missing; times (T,), the round of each row, increasing whole numbers. (longest,),
    NaN for a lag with fewer than `least` pairs and for values that do not vary.

    >>> lag_correlations(np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.arange(4), 2).round(2)
    array([-1.,  1.])
    """
    y, t = np.asarray(values, dtype=float), np.asarray(times, dtype=int)
    count = np.maximum(np.isfinite(y).sum(axis=0), 1)
    y = y - np.nansum(y, axis=0) / count
    found = np.full(longest, np.nan)
    for lag in range(1, min(longest, t[-1] - t[0]) + 1):
        _, later, earlier = np.intersect1d(t, t + lag, assume_unique=True, return_indices=True)
        a, b = y[earlier], y[later]
        both = np.isfinite(a) & np.isfinite(b)
        a, b = a[both], b[both]
        size = np.sqrt((a @ a) * (b @ b))
        if len(a) >= least and size > 0:
            found[lag - 1] = (a @ b) / size
    return found
