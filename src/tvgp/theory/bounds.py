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


def beta_bogunovic(horizon: float, restarting: bool, a: float, b: float, delta: float = DELTA) -> float:
    """beta_T of TV-GP-UCB, Bogunovic16 (19), or of R-GP-UCB, (16), for [0, 1]^2:

    2 log(c T^2 / delta) + 4 log(2 b T^2 sqrt(log(2 a c T^2 / delta))), c = pi^2/2 or 2 pi^2/3;
    Pr(sup |df/dx_j| > L) <= a exp(-(L/b)^2).
    """
    c = np.pi**2 * (2 / 3 if restarting else 1 / 2)
    spread = np.log(2 * a * c * horizon**2 / delta)  # 2 d a pi^2 T^2 / (3 delta) has d = 2 in both
    return float(2 * np.log(c * horizon**2 / delta) + 4 * np.log(2 * b * horizon**2 * np.sqrt(spread)))


def regret_bound_tv(horizon: int, beta: float, gain: float, noise_variance: float) -> float:
    """R_T of TV-GP-UCB, Bogunovic16 (20): sqrt(C_1 T beta_T gamma~_T) + 2, C_1 = 8 / log(1 + 1/sigma^2)."""
    return float(np.sqrt(8 / np.log1p(1 / noise_variance) * horizon * beta * gain) + 2)


def regret_bound_tv_blocks(
    horizon: int, beta: float, gains: np.ndarray, noise_variance: float, epsilon: float
) -> tuple[float, int]:
    """(21), (20) with gamma~_T <= (T/N + 1)(gamma_N + N^3 eps), at the best N, and that N.

    gains: gamma_1, ..., gamma_T without drift.
    """
    N = np.arange(1.0, len(gains) + 1)
    total = (horizon / N + 1) * (gains + N**3 * epsilon)
    best = int(total.argmin())
    return regret_bound_tv(horizon, beta, float(total[best]), noise_variance), best + 1


def regret_bound_r(
    horizon: int,
    beta: float,
    gain: float,
    noise_variance: float,
    epsilon: float,
    block: int,
    a0: float,
    b0: float,
    delta: float = DELTA,
) -> float:
    """R_T of R-GP-UCB with blocks of N rounds, Bogunovic16 (17) and (18):

    sqrt(C_1 T beta_T (T/N + 1) gamma_N) + 2 + T psi,
    psi = sqrt(beta_T (3/s + 1/s^2) N^3 eps)
          + (1/s + 1/s^2) N^3 eps (2 + b_0) sqrt(log(2 (1 + a_0) pi^2 T^2 / (3 delta))), s = sigma^2;
    gain: gamma_N without drift; Pr(sup |f| > L) <= a_0 exp(-(L/b_0)^2).
    """
    s, drift = noise_variance, block**3 * epsilon
    largest = (2 + b0) * np.sqrt(np.log(2 * (1 + a0) * np.pi**2 * horizon**2 / (3 * delta)))
    psi = np.sqrt(beta * (3 / s + 1 / s**2) * drift) + (1 / s + 1 / s**2) * drift * largest
    within = regret_bound_tv(horizon, beta, (horizon / block + 1) * gain, s)
    return float(within + horizon * psi)


def tail_constants(mean: float, std: float) -> tuple[float, float]:
    """a and b with Pr(sup |g| > L) <= a exp(-(L/b)^2) for a centred Gaussian field g of standard deviation
    `std` with E sup |g| = `mean` (Borell-TIS): a = 2 exp(mean^2 / (2 std^2)), b = 2 std."""
    return float(2 * np.exp(mean**2 / (2 * std**2))), 2 * std


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
