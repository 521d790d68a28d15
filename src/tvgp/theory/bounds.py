"""The papers' regret bounds, as curves to compare with measurements.

Bounds are orders: the papers leave the constants unspecified; here they are 1. Mauduit25a is the
ECML 2025 paper on SparQ-GP-UCB, Mauduit25b the paper on W-SparQ-GP-UCB (arXiv 2512.00517v2). As in
the papers' experiments, their bounds are evaluated for d = 1 and delta = 0.05, Bogunovic16's for
d = 2. Logarithms are natural.
"""

from __future__ import annotations

import numpy as np

from tvgp.theory.schedules import check_alpha_tilde

DELTA = 0.05


def regret_bound_sparq_2025a(horizon: np.ndarray) -> np.ndarray:
    """Order of R_T for SparQ-GP-UCB, Mauduit25a (19), constant 1, d = 1:

    sqrt(T log^6 T) sqrt(log(1/delta) + log^4 log T).

    horizon: T > 1, any shape; NaN where log T <= 1, where the formula is undefined.
    """
    log_t, log_log = _logs(horizon)
    return np.sqrt(horizon * log_t**6) * np.sqrt(np.log(1 / DELTA) + log_log**4)


def regret_bound_sparq_2025b(horizon: np.ndarray) -> np.ndarray:
    """Order of R_T for SparQ-GP-UCB, Mauduit25b (23), constant 1, d = 1:

    sqrt((log(1/delta) + log^2 log T) T log^2 T).
    """
    log_t, log_log = _logs(horizon)
    return np.sqrt((np.log(1 / DELTA) + log_log**2) * horizon * log_t**2)


def regret_bound_w_sparq(horizon: np.ndarray, alpha_tilde: float = 0.25, rooted: bool = True) -> np.ndarray:
    """Order of R_T for W-SparQ-GP-UCB, Mauduit25b (34), constant 1, d = 1; a = alpha_tilde in (0, 1/3):

    sqrt(T^(2a+1) log^2 T (log(1/delta) + T^a log^2 T)).

    The paper prints (34) without the square root that its proof and Table 2 use; `rooted=False`
    gives the printed form.
    """
    check_alpha_tilde(alpha_tilde)
    horizon = np.asarray(horizon, dtype=float)
    log_t = np.log(horizon)
    spread = np.log(1 / DELTA) + horizon**alpha_tilde * log_t**2
    printed = horizon ** (2 * alpha_tilde + 1) * log_t**2 * spread
    return np.sqrt(printed) if rooted else printed


def regret_bound_gp_ucb(horizon: np.ndarray, alpha: float) -> np.ndarray:
    """Order of R_T for GP-UCB under injected noise, Mauduit25b (13), constant 1, d = 1:

    sqrt(T^(3 alpha + 1) log^4 T), SE kernel. Sublinear only for alpha < 1/3.
    """
    horizon = np.asarray(horizon, dtype=float)
    return horizon ** ((3 * alpha + 1) / 2) * np.log(horizon) ** 2


def regret_bound_bogunovic(
    horizon: np.ndarray, epsilon: float | np.ndarray, restarting: bool, smoothness: float
) -> np.ndarray:
    """Order of R_T for TV-GP-UCB, Bogunovic16 Corollary 4.1, constant 1, d = 2, no logarithms:

    max(sqrt(T^(1+c)), T eps^p), p = (1-c) / (2 (3-c)), or (1-c) / (2 (4-c)) for R-GP-UCB
    (`restarting`); c = 6 / (2 nu + 6) for a kernel of smoothness nu > 2, 0 for infinite nu (SE).
    """
    horizon = np.asarray(horizon, dtype=float)
    c = 6 / (2 * smoothness + 6)
    power = rate_bogunovic(restarting, smoothness)
    return np.maximum(horizon ** ((1 + c) / 2), horizon * np.asarray(epsilon, dtype=float) ** power)


def rate_bogunovic(restarting: bool, smoothness: float) -> float:
    """Exponent p of epsilon in R_T / T = O~(eps^p), Bogunovic16 Corollary 4.1 (see above)."""
    c = 6 / (2 * smoothness + 6)
    return 0.5 * (1 - c) / ((4 if restarting else 3) - c)


def query_threshold(alpha: np.ndarray | float) -> np.ndarray | float:
    """p = alpha/(alpha+1): N_T = O(T^p) leaves R_T linear for alpha > 1, Mauduit25b Theorem 5.3."""
    return alpha / (alpha + 1)


def w_sparq_query_exponent(alpha: np.ndarray | float, alpha_tilde: float = 0.25) -> np.ndarray | float:
    """p = 1 - alpha_tilde/alpha: N_T = O(T^p log^d T) of W-SparQ-GP-UCB, Mauduit25b Theorem 3.10.

    0 where alpha <= alpha_tilde: windows then grow in proportion to T or faster. Table 2 prints
    (4 alpha - 1)/(4 alpha), the case alpha_tilde = 1/4.
    """
    return np.maximum(1 - alpha_tilde / np.asarray(alpha, dtype=float), 0.0)


def information_gain_bound(horizon: np.ndarray, smoothness: float) -> np.ndarray:
    """Order of gamma_T for constant noise, d = 1, constant 1; smoothness: nu of the kernel.

    Infinite nu (SE): log^2 T (Srinivas et al. 2010, Theorem 5); Matern: T^(1/(2 nu + 1))
    log^(2 nu/(2 nu + 1)) T (Vakili, Khezeli & Picheny 2021).
    """
    horizon = np.asarray(horizon, dtype=float)
    if np.isinf(smoothness):
        return np.log(horizon) ** 2
    share = 1 / (2 * smoothness + 1)
    return horizon**share * np.log(horizon) ** (1 - share)


def largest_regret(horizon: np.ndarray, norm_bound: float = 5.0, variance: float = 0.5) -> np.ndarray:
    """2 M_k B T, the largest possible regret, as |f| <= M_k B. variance: M_k^2."""
    return 2 * np.sqrt(variance) * norm_bound * np.asarray(horizon, dtype=float)


def _logs(horizon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log T, and log log T with NaN where that is negative."""
    log_t = np.log(np.asarray(horizon, dtype=float))
    return log_t, np.log(np.where(log_t > 1, log_t, np.nan))
