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


class Grid:
    """Fits of series with the same lags: what does not depend on squares is computed once."""

    def __init__(
        self,
        lags: np.ndarray,
        counts: np.ndarray,
        *,
        noise_variance: float,
        prior_variance: float,
        prior_weight: float = 2.0,
        saturating: bool = True,
    ) -> None:
        """lags (k,), positive and in any order; counts (k,): how many differences. noise_variance: s^2 of an
        answer; prior_variance: sets the range of scales and saturations. ValueError without data."""
        if not len(lags):
            raise ValueError("variogram: no lags; expected one or more")
        n, self._place = np.unique(lags, return_inverse=True)
        self._total = np.bincount(self._place, counts)
        w = np.minimum(self._total, _MOST)
        self._scales = prior_variance * _SCALES
        self._saturations = prior_variance * _SATURATIONS if saturating else np.array([np.inf])
        growth = self._scales[:, None, None] * n.astype(float) ** EXPONENTS[:, None]
        v = np.empty((len(self._saturations), *growth.shape))  # (saturation, scale, alpha, lag)
        for level, saturation in zip(v, self._saturations, strict=True):
            limit = 2.0 * saturation
            level[:] = limit * (1.0 - np.exp(-growth / limit)) if saturating else growth
        v += 2.0 * noise_variance
        self._fixed = np.log(v) @ w + prior_weight * (EXPONENTS - 1.0) ** 2
        self._inverse = w / v

    def fit(self, squares: np.ndarray) -> Drift:
        """The grid point with the least

            sum_n w(n) (log V(n) + m(n) / V(n)) + prior_weight (alpha - 1)^2

        m(n): mean squared difference at lag n, w(n): their number, at most 20. squares (k,): sums of squared
        differences.
        """
        m = np.bincount(self._place, squares) / self._total
        loss = self._fixed + self._inverse @ m
        level, scale, alpha = np.unravel_index(int(loss.argmin()), loss.shape)
        return Drift(float(EXPONENTS[alpha]), float(self._scales[scale]), float(self._saturations[level]))
