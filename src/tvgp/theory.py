"""What the papers promise: regret bounds, as curves to set beside measurements.

Bounds are orders: the papers leave the constants open, and here they are 1. Mauduit25a is the
ECML 2025 paper on SparQ-GP-UCB, Mauduit25b the paper on W-SparQ-GP-UCB (arXiv 2512.00517v2).
Logarithms are natural.
"""

from __future__ import annotations

import numpy as np


def regret_bound_sparq_2025a(horizon: np.ndarray, d: int = 1, delta: float = 0.05) -> np.ndarray:
    """Order of R_T for SparQ-GP-UCB, Mauduit25a (19), constant 1:

    sqrt(T d log^(d+5) T) sqrt(log(1/delta) + d log^(d+3)(d log T)).

    horizon: T > 1, any shape; NaN where d log T <= 1 (the formula is not defined there).
    """
    log_t, log_log = _logs(horizon, d)
    return np.sqrt(horizon * d * log_t ** (d + 5)) * np.sqrt(
        np.log(1 / delta) + d * log_log ** (d + 3)
    )


def regret_bound_sparq_2025b(horizon: np.ndarray, d: int = 1, delta: float = 0.05) -> np.ndarray:
    """Order of R_T for SparQ-GP-UCB, Mauduit25b (23), constant 1:

    sqrt((log(1/delta) + d log^(d+1)(d log T)) T d log^(d+1) T).
    """
    log_t, log_log = _logs(horizon, d)
    spread = np.log(1 / delta) + d * log_log ** (d + 1)
    return np.sqrt(spread * horizon * d * log_t ** (d + 1))


def regret_bound_w_sparq(
    horizon: np.ndarray,
    alpha_tilde: float = 0.25,
    d: int = 1,
    delta: float = 0.05,
    rooted: bool = True,
) -> np.ndarray:
    """Order of R_T for W-SparQ-GP-UCB, Mauduit25b (34), constant 1; a = alpha_tilde in (0, 1/3):

    sqrt(T^(2a+1) d log^(d+1) T (log(1/delta) + d T^a log^(d+1) T)).

    The paper prints (34) without the square root, which its own proof and Table 2 have;
    `rooted=False` gives the printed form.
    """
    if not 0 < alpha_tilde < 1 / 3:
        raise ValueError(f"alpha_tilde is {alpha_tilde}; expected a number in (0, 1/3)")
    horizon = np.asarray(horizon, dtype=float)
    log_t = np.log(horizon)
    printed = (
        horizon ** (2 * alpha_tilde + 1)
        * d
        * log_t ** (d + 1)
        * (np.log(1 / delta) + d * horizon**alpha_tilde * log_t ** (d + 1))
    )
    return np.sqrt(printed) if rooted else printed


def _logs(horizon: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """log T, and log(d log T) with NaN where that is negative."""
    log_t = np.log(np.asarray(horizon, dtype=float))
    inner = d * log_t
    return log_t, np.log(np.where(inner > 1, inner, np.nan))
