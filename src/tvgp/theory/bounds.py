"""What the papers promise: regret bounds, as curves to set beside measurements.

Bounds are orders: the papers leave the constants open, and here they are 1. Mauduit25a is the
ECML 2025 paper on SparQ-GP-UCB, Mauduit25b the paper on W-SparQ-GP-UCB (arXiv 2512.00517v2).
Logarithms are natural.
"""

from __future__ import annotations

import numpy as np

from tvgp.theory.schedules import check_alpha_tilde


def regret_bound_sparq_2025a(horizon: np.ndarray, d: int = 1, delta: float = 0.05) -> np.ndarray:
    """Order of R_T for SparQ-GP-UCB, Mauduit25a (19), constant 1:

    sqrt(T d log^(d+5) T) sqrt(log(1/delta) + d log^(d+3)(d log T)).

    horizon: T > 1, any shape; NaN where d log T <= 1 (the formula is not defined there).
    """
    log_t, log_log = _logs(horizon, d)
    return np.sqrt(horizon * d * log_t ** (d + 5)) * np.sqrt(np.log(1 / delta) + d * log_log ** (d + 3))


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
    check_alpha_tilde(alpha_tilde)
    horizon = np.asarray(horizon, dtype=float)
    log_t = np.log(horizon)
    printed = (
        horizon ** (2 * alpha_tilde + 1)
        * d
        * log_t ** (d + 1)
        * (np.log(1 / delta) + d * horizon**alpha_tilde * log_t ** (d + 1))
    )
    return np.sqrt(printed) if rooted else printed


def regret_bound_gp_ucb(horizon: np.ndarray, alpha: float, d: int = 1) -> np.ndarray:
    """Order of R_T for GP-UCB under injected noise, Mauduit25b (13), constant 1:

    sqrt(d^2 T^(3 alpha + 1) log^(2(d+1)) T), SE kernel. Sublinear for alpha < 1/3 only.
    """
    horizon = np.asarray(horizon, dtype=float)
    return d * horizon ** ((3 * alpha + 1) / 2) * np.log(horizon) ** (d + 1)


def regret_bound_igp_ucb(horizon: np.ndarray, gain: np.ndarray, norm_bound: float = 5.0) -> np.ndarray:
    """Order of R_T for GP-UCB without drift, Chowdhury & Gopalan 2017, constant 1:

    sqrt(T) (B sqrt(gamma_T) + gamma_T); gain: gamma_T for each T.
    """
    return np.sqrt(horizon) * (norm_bound * np.sqrt(gain) + gain)


def regret_bound_pi_gp_ucb(horizon: np.ndarray, nu: float, d: int = 1) -> np.ndarray:
    """Order of R_T for pi-GP-UCB, Janz20 (abstract), constant 1, logarithms left out:

    T^((d(2d+3) + 2 nu) / (d(2d+4) + 4 nu)), Matern kernel with smoothness nu > 1.
    """
    exponent = (d * (2 * d + 3) + 2 * nu) / (d * (2 * d + 4) + 4 * nu)
    return np.asarray(horizon, dtype=float) ** exponent


def regret_bound_forgetting(
    horizon: np.ndarray,
    gain: np.ndarray,
    variation_budget: np.ndarray | float,
    budget_known: bool = True,
) -> np.ndarray:
    """Order of R_T for R-, SW- (Zhou & Shroff 2021) and W-GP-UCB (Deng et al. 2022), constant 1:

    gamma_T^(7/8) B_T^(1/4) T^(3/4) with the recommended window, B_T in place of B_T^(1/4) where
    the window is chosen without B_T; logarithms left out. gain: gamma_T; variation_budget: B_T.
    """
    power = 0.25 if budget_known else 1.0
    variation = np.asarray(variation_budget, dtype=float) ** power
    return np.asarray(gain) ** 0.875 * variation * np.asarray(horizon, dtype=float) ** 0.75


def regret_bound_bogunovic(
    horizon: np.ndarray,
    epsilon: float | np.ndarray,
    restarting: bool = False,
    smoothness: float | None = None,
    d: int = 2,
) -> np.ndarray:
    """Order of R_T for TV-GP-UCB, Bogunovic16 Corollary 4.1, constant 1, no logarithms:

    max(sqrt(T^(1+c)), T eps^p), p = (1-c) / (2 (3-c)), or (1-c) / (2 (4-c)) for R-GP-UCB
    (`restarting`); c = 0 for the squared exponential (smoothness None), d(d+1) / (2 nu + d(d+1))
    for Matern of smoothness nu > 2.
    """
    horizon = np.asarray(horizon, dtype=float)
    c = 0.0 if smoothness is None else d * (d + 1) / (2 * smoothness + d * (d + 1))
    power = rate_bogunovic(restarting, smoothness, d)
    return np.maximum(horizon ** ((1 + c) / 2), horizon * np.asarray(epsilon, dtype=float) ** power)


def rate_bogunovic(restarting: bool = False, smoothness: float | None = None, d: int = 2) -> float:
    """Exponent p of epsilon in R_T / T = O~(eps^p), Bogunovic16 Corollary 4.1 (see above)."""
    c = 0.0 if smoothness is None else d * (d + 1) / (2 * smoothness + d * (d + 1))
    return 0.5 * (1 - c) / ((4 if restarting else 3) - c)


def lower_bound_bandit(horizon: np.ndarray, alpha: float) -> np.ndarray:
    """Order of E R_T of every algorithm without queries, Mauduit25b Prop. 2.6, constant 1:

    sqrt(T^(alpha+1)) for 0 <= alpha < 1, (17), and T for alpha >= 1, (18).
    """
    return np.asarray(horizon, dtype=float) ** min(1.0, (alpha + 1) / 2)


def lower_bound_queries(alpha: float, query_exponent: float) -> float:
    """Exponent of the lower bound on R_T with N_T = T^p queries, Mauduit25b Table 2; NaN if open.

    alpha > 1: 1 for p <= alpha/(alpha+1) (Theorem 5.3), open above it. alpha <= 1: (alpha+1)/2 up
    to the same p (after Iwazaki & Takeno), and 1/2 above it (after Scarlett et al.). For p = 1 and
    any alpha the problem is no harder than the static one, 1/2. ValueError for p outside [0, 1].
    """
    if not 0 <= query_exponent <= 1:
        raise ValueError(f"query exponent is {query_exponent}; expected a number in [0, 1]")
    if query_exponent <= query_threshold(alpha):
        return min(1.0, (alpha + 1) / 2)
    if alpha <= 1 or query_exponent == 1:
        return 0.5
    return float("nan")


def query_threshold(alpha: np.ndarray | float) -> np.ndarray | float:
    """p = alpha/(alpha+1): N_T = O(T^p) leaves R_T linear for alpha > 1, Mauduit25b Theorem 5.3."""
    return alpha / (alpha + 1)


def w_sparq_query_exponent(alpha: np.ndarray | float, alpha_tilde: float = 0.25) -> np.ndarray | float:
    """p = 1 - alpha_tilde/alpha: N_T = O(T^p log^d T) of W-SparQ-GP-UCB, Mauduit25b Theorem 3.10.

    0 where alpha <= alpha_tilde: windows then grow in proportion to T or faster. Table 2 prints
    (4 alpha - 1)/(4 alpha), which is alpha_tilde = 1/4.
    """
    return np.maximum(1 - alpha_tilde / np.asarray(alpha, dtype=float), 0.0)


def information_gain_bound(horizon: np.ndarray, kernel: str, d: int = 1) -> np.ndarray:
    """Order of gamma_T for constant noise, constant 1.

    SE: log^(d+1) T (Srinivas et al. 2010, Theorem 5); Matern: T^(d/(2 nu + d))
    log^(2 nu/(2 nu + d)) T (Vakili, Khezeli & Picheny 2021). kernel: as in `kernels.make`.
    ValueError for a kernel without a published rate.
    """
    horizon = np.asarray(horizon, dtype=float)
    if kernel == "se":
        return np.log(horizon) ** (d + 1)
    smoothness = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}
    if kernel not in smoothness:
        known = ", ".join(["se", *smoothness])
        raise ValueError(f"information gain of kernel {kernel!r} has no rate; expected {known}")
    nu = smoothness[kernel]
    share = d / (2 * nu + d)
    return horizon**share * np.log(horizon) ** (1 - share)


def largest_regret(horizon: np.ndarray, norm_bound: float = 5.0, variance: float = 0.5) -> np.ndarray:
    """2 M_k B T: |f| <= M_k B, so that no regret is larger. variance: M_k^2."""
    return 2 * np.sqrt(variance) * norm_bound * np.asarray(horizon, dtype=float)


def is_vacuous(
    bound: np.ndarray, horizon: np.ndarray, norm_bound: float = 5.0, variance: float = 0.5
) -> np.ndarray:
    """Whether an upper bound on R_T says nothing: it exceeds the largest possible regret."""
    return np.asarray(bound) > largest_regret(horizon, norm_bound, variance)


def _logs(horizon: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """log T, and log(d log T) with NaN where that is negative."""
    log_t = np.log(np.asarray(horizon, dtype=float))
    inner = d * log_t
    return log_t, np.log(np.where(inner > 1, inner, np.nan))
