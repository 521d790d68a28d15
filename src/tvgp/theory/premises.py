"""The assumptions of Mauduit25b on a varying function, evaluated (Assumption 2, eq. 7).

Deviations v_{s,t}(x) = f_t(x) - f_s(x) are assumed to be N(0, sigma^2 |t - s|^alpha), independent
between pairs. But v_{1,3} = v_{1,2} + v_{2,3} at the same x, so the variances fix the covariances:

    Cov(v_{q,t}, v_{s,t}) = sigma^2 ((t - q)^alpha + (t - s)^alpha - |s - q|^alpha) / 2.
"""

from __future__ import annotations

import numpy as np

from tvgp.theory import query_counts
from tvgp.theory.schedules import window_starts

# sigma^2, and the square of the largest deviation, (2 M_k B)^2.
_NOISE_VARIANCE, _LARGEST = 0.01, 4.0 * 0.5 * 5.0**2


def neighbours_correlation(alpha: float) -> float:
    """Corr(v_{1,3}, v_{2,3}) = 2^(alpha/2) / 2, implied by the variances."""
    return float(2.0 ** (alpha / 2.0) / 2.0)


def smallest_eigenvalue(alpha: float) -> float:
    """Smallest eigenvalue of the covariance of v_{1,2}, ..., v_{1,9}, relative to the largest.

    If it is negative, no random function has these variances. This holds for every alpha > 2: the
    standard deviation over n steps is at most n times that over one.
    """
    lags = np.arange(1.0, 9.0)
    apart = np.abs(lags[:, None] - lags) ** alpha
    values = np.linalg.eigvalsh((lags[:, None] ** alpha + lags**alpha - apart) / 2.0)
    return float(np.round(values[0] / values[-1], 12))  # the rest is rounding


def longest_lag(alpha: float) -> int:
    """Largest n with sigma^2 n^alpha <= (2 M_k B)^2, the square of the largest deviation that
    |f_t| <= M_k B allows; the papers' sigma^2 = 0.01, M_k^2 = 0.5 and B = 5."""
    if np.log(_LARGEST / _NOISE_VARIANCE) / alpha > 42.0:  # n^alpha overflows int64
        return 2**61
    return int((_LARGEST / _NOISE_VARIANCE) ** (1.0 / alpha))


def mean_precision(horizon: int, alpha: float) -> float:
    """Mean over tau <= T of sigma^2 S_tau = sum_{t_j <= tau} Q_j / (1 + (tau - t_j)^alpha) under
    W-SparQ-GP-UCB's schedule: alpha_tilde = 1/4, 6 log t_j queries at each window start t_j.

    The proof of Theorem 5.3 needs it bounded for regret to be linear. It is the mean of
    `bump_family.cumulative_precision`, computed from the windows without a convolution over rounds.
    """
    starts = window_starts(horizon, alpha)
    kept = np.cumsum(1.0 / (1.0 + np.arange(horizon, dtype=float) ** alpha))
    return float(query_counts.nominal_queries(starts) @ kept[horizon - starts] / horizon)


def mean_square_change(rewards: np.ndarray, lags: np.ndarray) -> np.ndarray:
    """Mean over rounds and arms of (f_{t+n} - f_t)^2 at each lag n of `lags`.

    rewards: f_t(x), (rounds, arms). ValueError for a lag outside 1..rounds-1.
    """
    lags = np.asarray(lags)
    if lags.min() < 1 or lags.max() >= len(rewards):
        raise ValueError(f"premises: lags lie outside 1 to {len(rewards) - 1}")
    return np.array([np.square(rewards[n:] - rewards[:-n]).mean() for n in lags.tolist()])
