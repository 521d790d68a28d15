"""Schedules of the algorithms: window lengths, discounts, query sizes and window starts."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from tvgp import posterior
from tvgp.contracts import require_horizon
from tvgp.posterior import Prior

# Longest horizon of schedules listed round by round, and of the greedy information gain, which takes
# one posterior update per round.
LONGEST_SCHEDULE, LONGEST_GAIN = 10**8, 10**6

# Longest window in rounds, and the logarithm above which windows have that length: longer than any
# run, and a start beyond it fits in int64.
_LONGEST, _LONGEST_LOG = 2**61, 42.0


def query_size(t: int, scale: float) -> int:
    """Q_t = max(1, ceil(scale log t)), natural logarithm; scale 6 in Mauduit25a, section 4.1."""
    return max(1, math.ceil(scale * math.log(t)))


def next_window_start(start: int, alpha: float, alpha_tilde: float) -> int:
    """t_{j+1} = t_j + floor(t_j^(alpha_tilde/alpha)) + 1.

    The unique integer with t_j^(a~/a) < t_{j+1} - t_j <= t_j^(a~/a) + 1 (Mauduit25b eq. 32).
    """
    power = alpha_tilde / alpha
    within = power * math.log(start) < _LONGEST_LOG
    return start + (math.floor(start**power) if within else _LONGEST) + 1


def check_alpha_tilde(alpha_tilde: float) -> None:
    """ValueError unless 0 < alpha_tilde < 1/3, the range of the windows of Mauduit25b, eq. (32)."""
    if not 0 < alpha_tilde < 1 / 3:
        raise ValueError(f"alpha_tilde is {alpha_tilde}; expected a number in (0, 1/3)")


def window_starts(horizon: int, alpha: float, alpha_tilde: float = 0.25) -> np.ndarray:
    """All t_j up to the horizon, with t_1 = 1 (Mauduit25b eq. 32).

    While floor(t^(alpha_tilde/alpha)) = m, starts are m + 1 apart: each run of equal windows is
    generated at once. ValueError unless alpha > 0 and 0 < alpha_tilde < 1/3, and for a horizon above
    10^8.
    """
    require_horizon("window starts", horizon, LONGEST_SCHEDULE)
    if not alpha > 0:
        raise ValueError(f"alpha is {alpha}; expected a positive number")
    check_alpha_tilde(alpha_tilde)
    power, t, stretches = alpha_tilde / alpha, 1, []
    while t <= horizon:
        after = next_window_start(t, alpha, alpha_tilde)
        step = after - t
        # the exact rule gives the last two starts, because the computed end is rounded
        end = float(horizon)
        if math.log(step) < power * math.log(horizon):
            end = min(float(step) ** (1.0 / power), end)
        count = max(1, int((end - t) // step) - 1)
        stretches.append(t + step * np.arange(count, dtype=np.int64))
        t += step * count
    starts = np.concatenate(stretches) if stretches else np.empty(0, dtype=np.int64)
    return starts[starts <= horizon]


def even_bundles(horizon: int, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """Evenly spaced rounds of queries and their sizes, which sum to N_T = round(T^exponent).

    Bundles of about ceil(6 log T) arms, the size of SparQ's last query, or one bundle of N_T if that
    is fewer; each in the middle of its share of the horizon. ValueError for an exponent outside
    [0, 1].
    """
    if not 0 <= exponent <= 1:
        raise ValueError(f"query exponent is {exponent}; expected a number in [0, 1]")
    total = round(horizon**exponent)
    count = max(1, round(total / query_size(horizon, 6.0)))
    starts = ((2 * np.arange(count) + 1) * horizon) // (2 * count) + 1
    sizes = np.diff(np.arange(count + 1) * total // count)
    return starts, sizes


@lru_cache(maxsize=16)
def maximum_information_gain(prior: Prior, noise_variance: float, horizon: int) -> float:
    """gamma_T = max over T arms of 1/2 log det(I + K_A / sigma^2), greedily, with replacement.

    Greedy choice is within 1 - 1/e of the maximum (Srinivas et al. 2010, section 4). ValueError for
    T above 10^6.
    """
    require_horizon("information gain", horizon, LONGEST_GAIN)
    engine = posterior.make(prior, noise_variance, horizon=horizon)
    for _ in range(horizon):
        engine.observe(int(engine.variance.argmax()), 0.0)
    return 0.5 * engine.log_det


def information_gains(prior: Prior, noise_variance: float, horizons: np.ndarray) -> np.ndarray:
    """gamma_T of `maximum_information_gain` for each T of `horizons`, in one pass."""
    horizons = np.asarray(horizons, dtype=int)
    require_horizon("information gain", int(horizons.max()), LONGEST_GAIN)
    wanted, gains = set(horizons.tolist()), {0: 0.0}
    engine = posterior.make(prior, noise_variance, horizon=int(horizons.max()))
    for t in range(1, int(horizons.max()) + 1):
        engine.observe(int(engine.variance.argmax()), 0.0)
        if t in wanted:
            gains[t] = 0.5 * engine.log_det
    return np.array([gains[t] for t in horizons.tolist()])


def master_threshold(horizon: float, delta: float, gain: float, bound: float) -> float:
    """rho^(1) = 6 (log2 T + 1) log(T/delta) b sqrt(gamma_T log(T/delta)) of MASTER (Wei & Luo 2021; Hong et
    al. 2023, appendix E), in units of the rewards; gain: gamma_T; bound: b. rho^(t) = rho^(1) / sqrt(t)."""
    logarithm = math.log(horizon / delta)
    return 6.0 * (math.log2(horizon) + 1.0) * logarithm * (bound * math.sqrt(gain * logarithm))


def recommended_window(
    prior: Prior, noise_variance: float, horizon: int, variation_budget: float | None = None
) -> int:
    """H = W = ceil(gamma_T^(1/4) (T / B_T)^(1/2)) of Zhou & Shroff 2021, at most T.

    B_T = sum_t |f_{t+1} - f_t|_k; 1 if unknown.
    """
    gain = maximum_information_gain(prior, noise_variance, horizon)
    budget = max(_budget(variation_budget), 1e-12)
    return min(horizon, int(np.ceil(gain**0.25 * np.sqrt(horizon / budget))))


@lru_cache(maxsize=16)
def permuted_block_length(
    prior: Prior, noise_variance: float, horizon: int, variation_budget: float | None = None
) -> int:
    """H = ceil(gamma_H^(1/3) (T / V_T)^(2/3)) of R-PERP (Iwazaki & Takeno 2025), at most T.

    The least H that is no less than the right side. V_T = sum_t sup |f_{t+1} - f_t|; 1 if unknown.
    ValueError for a negative V_T, and T above 10^6.
    """
    require_horizon("information gain", horizon, LONGEST_GAIN)
    scale = (horizon / max(_budget(variation_budget), 1e-12)) ** (2.0 / 3.0)
    engine = posterior.make(prior, noise_variance, horizon=horizon)
    for length in range(1, horizon):
        engine.observe(int(engine.variance.argmax()), 0.0)
        if length >= (0.5 * engine.log_det) ** (1.0 / 3.0) * scale:
            return length
    return horizon


def recommended_discount(
    prior: Prior, noise_variance: float, horizon: int, variation_budget: float | None = None
) -> float:
    """gamma = 1 - gamma_T^(-1/4) (B_T / T)^(1/2) of W-GP-UCB (Deng et al. 2022), B_T as above.

    Clipped to [0.001, 1 - 1/T], the range in which the method is defined and forgets.
    ValueError for a negative B_T.
    """
    gain = maximum_information_gain(prior, noise_variance, horizon)
    budget = _budget(variation_budget)
    gamma = 1.0 - gain**-0.25 * np.sqrt(budget / horizon)
    return float(max(1e-3, min(gamma, 1.0 - 1.0 / horizon)))


def _budget(variation_budget: float | None) -> float:
    if variation_budget is None:
        return 1.0
    if not variation_budget >= 0:
        raise ValueError(f"the variation budget is {variation_budget}, expected 0 or more")
    return float(variation_budget)


def bogunovic_block_length(epsilon: float, horizon: int, smoothness: float) -> int:
    """N of R-GP-UCB under the Gauss-Markov model, d = 2 (Bogunovic16, Corollary 4.1, section 5.1).

    Infinite smoothness (squared exponential): ceil(min(T, 12 eps^(-1/4))). Matern of smoothness nu:
    ceil(min(T, 24 eps^(-1/(4-c)))), c = 6 / (2 nu + 6). ValueError unless epsilon lies in (0, 1].
    """
    if not 0.0 < epsilon <= 1.0:
        raise ValueError(f"epsilon is {epsilon}, must lie in (0, 1]")
    if math.isinf(smoothness):
        return int(np.ceil(min(horizon, 12.0 * epsilon**-0.25)))
    c = 6 / (2.0 * smoothness + 6)
    return int(np.ceil(min(horizon, 24.0 * epsilon ** (-1.0 / (4.0 - c)))))
