"""Exponent and scale of a drift from repeated answers: a saturating power law fitted to a variogram.

    E (v_{t+n} - v_t)^2 = V(n) = 2 s^2 + 2 v (1 - exp(-c n^alpha / (2 v)))

for answers v_t = f_t(x) + noise of variance s^2: growth c n^alpha at short lags, and 2 v, twice the variance
over time, at long ones. Without saturation, V(n) = 2 s^2 + c n^alpha, a drift with bounded differences is
mistaken for one with a small exponent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EXPONENTS = np.linspace(0.1, 2.0, 20)
# in units of the largest prior variance
_SCALES = np.geomspace(2e-5, 2.0, 41)
_SATURATIONS = np.geomspace(0.05, 4.0, 9)
_MOST = 20.0  # differences that count at one lag, as those of the same two rounds are correlated


@dataclass(frozen=True)
class Drift:
    """E (f_{t+n} - f_t)^2 = scale n^alpha at short lags, 2 saturation at long ones; squared reward units."""

    alpha: float
    scale: float
    saturation: float = np.inf


def fit(
    lags: np.ndarray,
    squares: np.ndarray,
    counts: np.ndarray,
    *,
    noise_variance: float,
    prior_variance: float,
    prior_weight: float = 2.0,
    saturating: bool = True,
) -> Drift:
    """The grid point with the least

        sum_n w(n) (log V(n) + m(n) / V(n)) + prior_weight (alpha - 1)^2

    m(n): mean squared difference at lag n, w(n): their number, at most 20. lags (k,), positive and in any
    order; squares (k,): sums of squared differences; counts (k,): how many. noise_variance: s^2 of an answer;
    prior_variance: sets the range of scales and saturations. ValueError without data.
    """
    if not len(lags):
        raise ValueError("variogram: no lags; expected one or more")
    n, place = np.unique(lags, return_inverse=True)
    total = np.bincount(place, counts)
    m, w = np.bincount(place, squares) / total, np.minimum(total, _MOST)
    scales = prior_variance * _SCALES
    growth = scales[:, None, None] * n.astype(float) ** EXPONENTS[:, None]  # (scale, alpha, lag)
    if saturating:
        limit = 2.0 * prior_variance * _SATURATIONS[:, None, None, None]
        growth = limit * (1.0 - np.exp(-growth / limit))
    v = 2.0 * noise_variance + growth
    loss = (np.log(v) + m / v) @ w
    loss = np.atleast_3d(loss.T).T + prior_weight * (EXPONENTS - 1.0) ** 2  # (saturation, scale, alpha)
    level, scale, alpha = np.unravel_index(int(loss.argmin()), loss.shape)
    saturation = prior_variance * _SATURATIONS[level] if saturating else np.inf
    return Drift(float(EXPONENTS[alpha]), float(scales[scale]), float(saturation))
