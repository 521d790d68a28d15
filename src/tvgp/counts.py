"""How many windows and expert queries the published schedules take, without running a bandit.

Nominal counts: Q_t = min(t, ceil(c log t)), natural logarithm, which is 0 at t = 1, as the papers'
schedules have it. `schedules.query_budget` is what a policy asks, at least one arm, and so one more
in round 1. SparQ asks in every round, W-SparQ at the window starts t_j of Mauduit25b (32).
"""

from __future__ import annotations

import numpy as np

from tvgp.schedules import next_window_start


def nominal_queries(t: np.ndarray, scale: float = 6.0) -> np.ndarray:
    """min(t, ceil(scale log t)) for rounds t >= 1; 0 at t = 1, where log t = 0."""
    t = np.asarray(t)
    return np.minimum(np.ceil(scale * np.log(t)), t).astype(np.int64)


def window_starts(horizon: int, alpha: float, alpha_tilde: float = 0.25) -> np.ndarray:
    """The t_j of `schedules.window_starts`, in stretches of equal windows; 1 s for 10^7 rounds.

    While floor(t^(alpha_tilde/alpha)) = m the starts are m + 1 apart. ValueError unless alpha > 0
    and 0 < alpha_tilde < 1/3.
    """
    if not alpha > 0:
        raise ValueError(f"alpha is {alpha}; expected a positive number")
    if not 0 < alpha_tilde < 1 / 3:
        raise ValueError(f"alpha_tilde is {alpha_tilde}; expected a number in (0, 1/3)")
    power, t, stretches = alpha_tilde / alpha, 1, []
    while t <= horizon:
        after = next_window_start(t, alpha, alpha_tilde)
        step = after - t
        # the two last starts of a stretch are left to the exact rule: the end of it is rounded
        end = min(float(step) ** (1.0 / power), float(horizon)) if power < 50 else t
        count = max(1, int((end - t) // step) - 1)
        stretches.append(t + step * np.arange(count, dtype=np.int64))
        t += step * count
    starts = np.concatenate(stretches) if stretches else np.empty(0, dtype=np.int64)
    return starts[starts <= horizon]


def sparq_total(horizons: np.ndarray, scale: float = 6.0) -> np.ndarray:
    """N_T of SparQ-GP-UCB, sum over t <= T of the nominal Q_t, for each T of `horizons`."""
    horizons = np.asarray(horizons, dtype=np.int64)
    return _totals(np.arange(1, horizons.max() + 1), horizons, scale)


def w_sparq_total(
    horizons: np.ndarray, alpha: float, alpha_tilde: float = 0.25, scale: float = 6.0
) -> np.ndarray:
    """N_T of W-SparQ-GP-UCB, sum over t_j <= T of the nominal Q_{t_j}, for each T."""
    horizons = np.asarray(horizons, dtype=np.int64)
    return _totals(window_starts(int(horizons.max()), alpha, alpha_tilde), horizons, scale)


def spread_evenly(horizon: int, exponent: float) -> np.ndarray:
    """Queries n_1, ..., n_T summing to N_T = round(T^exponent), as even as whole numbers allow.

    ValueError for an exponent outside [0, 1].
    """
    if not 0 <= exponent <= 1:
        raise ValueError(f"query exponent is {exponent}; expected a number in [0, 1]")
    total = round(horizon**exponent)
    cumulative = np.arange(1, horizon + 1, dtype=np.int64) * total // horizon
    return np.diff(cumulative, prepend=0)


def _totals(asked: np.ndarray, horizons: np.ndarray, scale: float) -> np.ndarray:
    running = np.concatenate([[0], np.cumsum(nominal_queries(asked, scale))])
    return running[np.searchsorted(asked, horizons, side="right")]
