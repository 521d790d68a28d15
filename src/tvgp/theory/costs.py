"""Operations of SparQ-GP-UCB and W-SparQ-GP-UCB as their papers count them, constants 1, d = 1.

Mauduit25a, section 5.3, and Mauduit25b, section 3.3. An eps-approximate Q-DPP of t inputs costs
t Q^3 (log log t + log Q + log(1/eps^2)); Q = Q_t is the nominal number of queries and eps = 1/t. A
regression on m inducing inputs costs m^3 in SparQ and m^2 (t_k + n) in a window of W-SparQ that starts
at t_k, n = t_k^(alpha_tilde/alpha), m = Q + n. Logarithms are natural.
"""

from __future__ import annotations

import numpy as np

from tvgp.theory.query_counts import nominal_queries
from tvgp.theory.schedules import window_starts


def dpp_operations(t: np.ndarray, scale: float = 6.0) -> np.ndarray:
    """Operations of the DPP at rounds t >= 1, same shape; 0 at t = 1, which makes no queries."""
    t = np.asarray(t, dtype=float)
    size = nominal_queries(t, scale).astype(float)
    log_t = np.log(np.maximum(t, 2.0))
    logs = np.maximum(np.log(log_t), 0.0) + np.log(np.maximum(size, 1.0)) + 2.0 * log_t
    return t * size**3 * logs


def sparq_operations(horizons: np.ndarray, scale: float = 6.0) -> np.ndarray:
    """Operations of SparQ-GP-UCB up to each T of `horizons`: a DPP and a regression in every round."""
    t = np.arange(1, int(np.max(horizons)) + 1)
    each = dpp_operations(t, scale) + nominal_queries(t, scale).astype(float) ** 3
    return np.cumsum(each)[np.asarray(horizons, dtype=int) - 1]


def w_sparq_operations(
    horizons: np.ndarray, alpha: float, alpha_tilde: float = 0.25, scale: float = 6.0
) -> tuple[np.ndarray, np.ndarray]:
    """Operations of W-SparQ-GP-UCB in the windows that start up to each T: of the DPPs, one per window,
    and of the regressions, one per round, the window's most expensive one as in the paper."""
    starts = window_starts(int(np.max(horizons)), alpha, alpha_tilde)
    length = starts ** (alpha_tilde / alpha)
    size = nominal_queries(starts, scale) + length
    ends = np.searchsorted(starts, horizons, side="right") - 1
    regressions = length * size**2 * (starts + length)
    return np.cumsum(dpp_operations(starts, scale))[ends], np.cumsum(regressions)[ends]


def sparq_cost_bound(horizon: np.ndarray) -> np.ndarray:
    """T^2 log T log^3(T / log T): the total of Mauduit25a, Theorem 3.2, which Mauduit25b, Theorem 3.6,
    prints as the cost per iteration. T > 1."""
    log_t = np.log(np.asarray(horizon, dtype=float))
    return np.asarray(horizon, dtype=float) ** 2 * log_t * np.log(horizon / log_t) ** 3


def w_sparq_cost_bound(horizon: np.ndarray, alpha: float, alpha_tilde: float = 0.25) -> np.ndarray:
    """T^2 (log T + T^(alpha_tilde/alpha))^2, the total of Mauduit25b, section 3.3."""
    horizon = np.asarray(horizon, dtype=float)
    return horizon**2 * (np.log(horizon) + horizon ** (alpha_tilde / alpha)) ** 2
