"""What a noisy reading is worth before a choice, under a normal belief about the arms.

A reading of arm i with noise variance n changes its posterior mean by a normal amount of standard deviation
s_i = v_i / sqrt(v_i + n), v_i the posterior variance (Frazier, Powell & Dayanik 2009, section 2). One opens
boxes, each at a price, and takes one in the end: Pandora's problem. For independent boxes the best order is
that of the index of Weitzman (1979), and opening ends when no index exceeds the best value at hand; as an
acquisition for Gaussian processes: Xie et al. 2024 (arXiv 2406.20062). A box that may be taken unopened need
be opened only if another could be taken in its place (Doval 2018). The knowledge gradient is the gain
of one more reading, with all correlations, as if it were the last.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

_STEPS = 50  # of Newton's method, which needs about six
_SLACK = 1e-8  # of gains, more than that of ties
_FAR = 30.0  # standard deviations above the mean up to which an index is distinguished
_TAIL = 9.0  # standard deviations of a reading beyond which nothing changes in float64
_ROOT_TWO = math.sqrt(2.0)
_PEAK = 1.0 / math.sqrt(2.0 * math.pi)


def change(variance: np.ndarray, noise_variance: float) -> np.ndarray:
    """s = v / sqrt(v + n), the standard deviation of the change that one reading makes, (n_arms,)."""
    return variance / np.sqrt(variance + noise_variance)


def pandora_index(mean: np.ndarray, std: np.ndarray, price: np.ndarray | float) -> np.ndarray:
    """g with E (mean + std Z - g)^+ = price, Z standard normal, (n_arms,).

    That is mean + std z with psi(z) = phi(z) - z Phi(-z) = price / std: infinite where the price is 0 and
    the standard deviation is not, and mean - price where the standard deviation is 0.

    >>> pandora_index(np.zeros(3), np.array([0.0, 1.0, 2.0]), 0.4).round(3)
    array([-0.4  , -0.002,  1.014])
    """
    mean, std, price = np.broadcast_arrays(mean, std, price)
    index = mean - price
    certain = std <= 0.0
    free = ~certain & (price <= 0.0)
    index = np.where(free, np.inf, index)
    rest = ~certain & ~free
    index[rest] = mean[rest] + std[rest] * _root(np.log(price[rest]) - np.log(std[rest]))
    return index


def open_or_take(index: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The indices g where an arm may be taken unopened, (n_arms,): that of the arm of the largest mean, b, is
    its mean where the second largest does not exceed its backup value, as b is then taken as it is.

    The backup value z has E (z - f_b)^+ = price: at it, opening b saves as much as it costs, if z can be had
    instead (Doval 2018, J. Econ. Theory 175, "Whether or not to open Pandora's box"). A normal belief has
    2 mean_b - g_b. Others are taken for worth their means, and no index is optimal (Beyhaghi & Kleinberg
    2019). mean: minus infinity for arms that cannot be taken.

    >>> open_or_take(np.array([3.5, 2.0]), np.array([3.0, 1.0]))
    array([3., 2.])
    """
    best = int(mean.argmax())
    second = np.delete(mean, best).max(initial=-np.inf)
    if second > 2.0 * mean[best] - index[best]:
        return index
    opened = index.copy()
    opened[best] = mean[best]
    return opened


def _root(log_price: np.ndarray) -> np.ndarray:
    """z with log psi(z) = log_price, by Newton's method: log psi is concave and decreases."""
    z = np.where(log_price > math.log(_PEAK), -np.exp(np.minimum(log_price, 700.0)), 0.0)
    for _ in range(_STEPS):
        psi, tail = _psi(z)
        last, z = z, np.minimum(z + (np.log(psi) - log_price) * psi / tail, _FAR)
        if np.abs(z - last).max(initial=0.0) <= 1e-12 * (1.0 + np.abs(last).max(initial=0.0)):
            break
    return z


def _psi(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """psi(z) = phi(z) - z Phi(-z) and Phi(-z), without cancellation for large z."""
    density = _PEAK * np.exp(-0.5 * z * z)
    mills = math.sqrt(0.5 * math.pi) * erfcx(np.maximum(z, 0.0) / _ROOT_TWO)
    tail = np.where(z > 0.0, density * mills, ndtr(-z))
    return np.where(z > 0.0, density * (1.0 - z * mills), density - z * tail), tail


def knowledge_gradient(
    mean: np.ndarray,
    covariance: np.ndarray,
    variance: np.ndarray,
    noise_variance: float,
    price: np.ndarray | float | None = None,
) -> np.ndarray:
    """E max_j (mean_j + c_ij Z / sqrt(v_i + n)) - max_j mean_j for each reading i, (m,).

    mean: (n_arms,); covariance: c, (m, n_arms), between the readings and all arms; variance: v, (m,), of
    the readings. Exact (Frazier, Powell & Dayanik 2009, algorithm 1), but for changes beyond nine standard
    deviations; O(m n_arms log n_arms) at most. Given the price of each reading, gains that a bound shows to
    be no larger than it, or to leave less than another reading does, are given as 0.
    """
    slopes = covariance / np.sqrt(variance + noise_variance)[:, None]
    best = int(mean.argmax())
    behind = mean[best] - mean
    relative = slopes - slopes[:, best : best + 1]
    near = np.abs(relative) * _TAIL > behind
    bound = _side(relative, behind) + _side(-relative, behind)
    paid = np.zeros(len(slopes)) if price is None else np.broadcast_to(price, len(slopes))
    gains, most = np.zeros(len(slopes)), 0.0
    for i in np.argsort(paid - bound, kind="stable").tolist():
        if price is not None and bound[i] - paid[i] <= most - _SLACK:
            break
        lines = near[i]
        lines[best] = True
        gains[i] = _gain(-behind[lines], relative[i, lines])
        most = max(most, gains[i] - paid[i])
    return gains


def _side(slopes: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """Bound on E max_j (slope_ij Z - behind_j)^+ over Z > 0, (m,): the steepest line from the first
    crossing."""
    rising = slopes > 0.0
    crossing = np.min(np.where(rising, behind / np.where(rising, slopes, 1.0), np.inf), axis=1)
    return slopes.max(axis=1, initial=0.0) * _psi(np.minimum(crossing, _FAR))[0]


def _gain(levels: np.ndarray, slopes: np.ndarray) -> float:
    """E max_j (levels_j + slopes_j Z) for lines of which one is 0 everywhere and largest at Z = 0."""
    order = np.lexsort((levels, slopes))
    kept: list[tuple[float, float, float]] = []  # level, slope and Z from which the line is the largest
    for level, slope in zip(levels[order].tolist(), slopes[order].tolist(), strict=True):
        start = -math.inf
        while kept:
            last, gradient, begins = kept[-1]
            # of parallel lines the last one is the highest
            start = (last - level) / (slope - gradient) if slope > gradient else -math.inf
            if start > begins:
                break
            kept.pop()
        kept.append((level, slope, start if kept else -math.inf))
    starts = np.array([start for _, _, start in kept[1:]])
    steps = np.diff([slope for _, slope, _ in kept])
    return float(steps @ _psi(np.abs(starts))[0]) if len(starts) else 0.0
