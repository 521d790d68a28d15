"""Numbers of expert queries under the published schedules, without running a bandit.

Nominal counts: Q_t = min(t, ceil(c log t)), natural logarithm, 0 at t = 1, as in the papers. A
policy queries at least one arm, hence one more in round 1. SparQ queries in every round, W-SparQ at
the window starts t_j of Mauduit25b (32).
"""

from __future__ import annotations

import numpy as np

from tvgp.contracts import require_horizon
from tvgp.theory.schedules import LONGEST_SCHEDULE, window_starts


def nominal_queries(t: np.ndarray, scale: float = 6.0) -> np.ndarray:
    """min(t, ceil(scale log t)) for rounds t >= 1; 0 at t = 1, where log t = 0."""
    t = np.asarray(t)
    return np.minimum(np.ceil(scale * np.log(t)), t).astype(np.int64)


def sparq_total(horizons: np.ndarray, scale: float = 6.0) -> np.ndarray:
    """N_T of SparQ-GP-UCB, sum over t <= T of the nominal Q_t, for each T of `horizons`.

    ValueError for T above 10^8.
    """
    horizons = np.asarray(horizons, dtype=np.int64)
    require_horizon("SparQ's queries", int(horizons.max()), LONGEST_SCHEDULE)
    return _totals(np.arange(1, horizons.max() + 1), horizons, scale)


def w_sparq_total(
    horizons: np.ndarray, alpha: float, alpha_tilde: float = 0.25, scale: float = 6.0
) -> np.ndarray:
    """N_T of W-SparQ-GP-UCB, sum over t_j <= T of the nominal Q_{t_j}, for each T."""
    horizons = np.asarray(horizons, dtype=np.int64)
    return _totals(window_starts(int(horizons.max()), alpha, alpha_tilde), horizons, scale)


def _totals(asked: np.ndarray, horizons: np.ndarray, scale: float) -> np.ndarray:
    running = np.concatenate([[0], np.cumsum(nominal_queries(asked, scale))])
    return running[np.searchsorted(asked, horizons, side="right")]
