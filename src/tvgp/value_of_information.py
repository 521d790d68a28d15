"""What a noisy reading is worth before a choice, under a normal belief about the arms.

A reading of arm i with noise variance n changes its posterior mean by a normal amount of standard deviation
s_i = v_i / sqrt(v_i + n), v_i the posterior variance (Frazier, Powell & Dayanik 2009, section 2). One opens
boxes, each at a price, and takes one in the end: Pandora's problem. For independent boxes the best order is
that of the index of Weitzman (1979), and opening ends when no index exceeds the best value at hand; as an
acquisition for Gaussian processes: Xie et al. 2024 (arXiv 2406.20062). A box that may be taken unopened need
be opened only if another could be taken in its place (Doval 2018). The knowledge gradient is the gain
of one more reading, with all correlations, as if it were the last.

On a logarithmic scale z of the rewards y (`tvgp.log_scale`) beliefs are normal in z and prices are of y.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.special import erfcx, ndtr

from tvgp.log_scale import LogScale

_STEPS = 50  # of Newton's method, which needs three to eight
_SLACK = 1e-8  # of gains, more than that of ties
_FAR = 30.0  # standard deviations above the mean up to which an index is distinguished
_NARROW = 1e-6  # standard deviation of a logarithm below which its normal law is that of the number too
_HIGHEST = 300.0  # logarithm of an index over the mean
_SMALLEST = 1e-300  # probability
_TAIL = 9.0  # standard deviations of a reading beyond which nothing changes in float64
_NODES = np.array([0.0, 0.4, 0.8, 1.4, 2.2, _TAIL])  # between which chords bound what a reading gains
_ROWS = 64  # of lines that stay in a core's cache while all nodes are tried
_ROUNDING = 1e-12  # of sums of a line's level and slope
_ROOT_TWO = math.sqrt(2.0)
_PEAK = 1.0 / math.sqrt(2.0 * math.pi)


def change(variance: np.ndarray, noise_variance: float) -> np.ndarray:
    """s = v / sqrt(v + n), the standard deviation of the change that one reading makes, (n_arms,)."""
    return variance / np.sqrt(variance + noise_variance)


def two_best(mean: np.ndarray, tie: float = 0.0) -> np.ndarray:
    """The arms of the largest and the second largest mean, (2,), the lowest of those within `tie` of it; of a
    single arm twice that arm.

    >>> two_best(np.array([0.5, 2.0, 1.0]))
    array([1, 2])
    """
    best = int(np.argmax(mean >= mean.max() - tie))
    others = mean.copy()
    others[best] = -np.inf
    return np.array([best, int(np.argmax(others >= others.max() - tie))])


def indices(
    mean: np.ndarray,
    variance: np.ndarray,
    covariance: np.ndarray,
    rivals: np.ndarray,
    noise_variance: float,
    price: np.ndarray | float,
    scale: LogScale | None = None,
) -> np.ndarray:
    """Index of each arm's reward beside that of its rival, (n_arms,); an arm's rival r is the arm b of the
    largest mean, that of b the second (`two_best`).

    What arm and rival have in common, such as a wave over all sites, changes no choice. An arm is therefore
    an independent box of what it has for itself, and has the larger of two indices:

        s_i = |v_i - c_ir| / sqrt(v_i + n),  price c_i              read alone, beside r as it is
        s_i of the variance v_i (1 - rho^2), price c_i + rho^2 c    read with r, which both readings need

    rho is the correlation of their readings, noise included, and c the lower of their prices, as others tell
    what they share too. Without correlation both are Weitzman's index, nearly also once r has been read.
    mean: of rewards; variance, and covariance, (2, n_arms), of the two rivals with all arms: on the scale, if
    any.

    >>> mean, wave = np.array([0.0, -0.5]), np.full((2, 2), 100.0)
    >>> indices(mean, np.full(2, 1.0), np.eye(2), two_best(mean), 0.0, 0.2).round(2)
    array([ 0.49, -0.01])
    >>> indices(mean, np.full(2, 101.0), np.eye(2) + wave, two_best(mean), 0.0, 0.2).round(2)
    array([ 0.37, -0.13])
    """
    price = np.broadcast_to(price, mean.shape)
    arms = np.arange(len(mean))
    _, c, shared, both = _with_rival(arms, variance, rivals, covariance, noise_variance, price)
    alone = np.abs(variance - c) / np.sqrt(variance + noise_variance)
    own = change(np.maximum(variance - shared, 0.0), noise_variance)
    more = np.flatnonzero(own > alone)  # of the others the second index, of a higher price, is lower
    pairs = (mean, mean[more]), (alone, own[more]), (price, both[more])
    means, stds, prices = map(np.concatenate, pairs)  # one call takes two thirds of the time of two
    index, second = np.split(_index(means, stds, prices, scale), [len(mean)])
    index[more] = np.maximum(index[more], second)
    return index


def _with_rival(
    arms: np.ndarray,
    variance: np.ndarray,
    rivals: np.ndarray,
    of_rivals: np.ndarray,
    noise_variance: float,
    price: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each arm, (m,): index of its rival, their covariance, the variance that the rival's reading
    explains, and the price of both readings."""
    which = np.where(arms == rivals[0], 1, 0)
    rival, own, readings = rivals[which], of_rivals[which, arms], variance + noise_variance
    shared = own * own / readings[rival]
    both = price[arms] + shared / readings[arms] * np.minimum(price[arms], price[rival])
    return which, own, shared, both


def _index(mean: np.ndarray, std: np.ndarray, price: np.ndarray, scale: LogScale | None) -> np.ndarray:
    """Of normal rewards, or of those whose logarithm on the scale is normal."""
    if scale is None:
        return pandora_index(mean, std, price)
    return scale.origin + lognormal_index(mean - scale.origin, std, price, scale.c)


def pandora_index(mean: np.ndarray, std: np.ndarray, price: np.ndarray | float) -> np.ndarray:
    """g with E (mean + std Z - g)^+ = price, Z standard normal, (n_arms,).

    That is mean + std z with psi(z) = phi(z) - z Phi(-z) = price / std: infinite where the price is 0 and
    the standard deviation is not, and mean - price where the standard deviation is 0.

    >>> pandora_index(np.zeros(3), np.array([0.0, 1.0, 2.0]), 0.4).round(3)
    array([-0.4  , -0.002,  0.986])
    """
    mean, std, price = np.broadcast_arrays(mean, std, price)
    index = mean - price
    certain = std <= 0.0
    free = ~certain & (price <= 0.0)
    index = np.where(free, np.inf, index)
    rest = ~certain & ~free
    index[rest] = mean[rest] + std[rest] * _root(np.log(price[rest]) - np.log(std[rest]))
    return index


def lognormal_index(mean: np.ndarray, std: np.ndarray, price: np.ndarray | float, c: float) -> np.ndarray:
    """g with E (y - g)^+ = price, (n_arms,), for lognormal 1 + y/c: mean of y, std of c log(1 + y/c).

    With X lognormal, of mean 1, F = |c + mean| and k = |c + g| / F that is E (X - k)^+ = price / F for c > 0
    and E (k - X)^+ = price / F for c < 0 (Black & Scholes 1973, eq. 13 and 27). For c > 0 and a price of F or
    more it is mean - price; as |c| grows, it goes to `pandora_index`.

    >>> mean, std = np.zeros(3), np.array([0.0, 1.0, 2.0])
    >>> lognormal_index(mean, std, 0.4, 1e6).round(3), lognormal_index(mean, std, 0.4, 2.0).round(3)
    (array([-0.4  , -0.002,  0.986]), array([-0.4  , -0.013,  1.844]))
    """
    mean, std, price = np.broadcast_arrays(mean, std, price)
    F, v = np.abs(c + mean), std / abs(c)
    index = np.asarray(pandora_index(mean, F * v, price))
    drawn = (v > _NARROW) & (price > 0.0)
    sure = drawn & (price >= F) & (c > 0.0)
    index[sure] = mean[sure] - price[sure]
    rest = drawn & ~sure
    sign = math.copysign(1.0, c)
    index[rest] = sign * F[rest] * np.exp(_log_strike(price[rest] / F[rest], v[rest], sign)) - c
    return index


def _log_strike(price: np.ndarray, v: np.ndarray, sign: float) -> np.ndarray:
    """x with E (sign (X - e^x))^+ = price, log X ~ N(-v^2/2, v^2), by Newton's method: the logarithm of the
    left side is concave in x."""
    x, far, target = np.log1p(-sign * price), _FAR * v, np.log(price)
    low, high = np.minimum(x, -far - v * v), np.maximum(x, np.minimum(far + v * v, _HIGHEST))
    for _ in range(_STEPS):
        near = sign * (0.5 * v - x / v)  # d_1 and d_2 of Black & Scholes with the sign
        away = near - sign * v
        tail = np.exp(x) * ndtr(away)
        worth = sign * (ndtr(near) - tail)
        outside = (near < 0.0) & (away < 0.0)
        mills = [erfcx(np.maximum(-each, 0.0) / _ROOT_TWO) for each in (near, away)]
        density = 0.5 * np.exp(-0.5 * near * near)
        worth = np.where(outside, sign * density * (mills[0] - mills[1]), worth)
        tail = np.where(outside, density * mills[1], tail)
        step = sign * (np.log(np.maximum(worth, _SMALLEST)) - target) * worth / np.maximum(tail, _SMALLEST)
        last, x = x, np.clip(x + step, low, high)
        if np.abs(x - last).max(initial=0.0) <= 1e-12 * (1.0 + np.abs(last).max(initial=0.0)):
            break
    return x


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
    """z with log psi(z) = log_price: a step of Newton's method from the table, whose errors it squares."""
    known, at = _table()
    z = np.interp(log_price, known, at)
    z = np.where(log_price > known[-1], -np.exp(np.minimum(log_price, 700.0)), z)
    psi, tail = _psi(z)
    return np.minimum(z + (np.log(psi) - log_price) * psi / tail, _FAR)


@functools.cache
def _table() -> tuple[np.ndarray, np.ndarray]:
    """log psi(z), increasing, and z, down to where psi(z) is -z; between them lines err by less than 2e-7."""
    z = np.linspace(_FAR, -8.0, 38_001)
    return np.log(_psi(z)[0]), z


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
    scale: LogScale | None = None,
    unit: float = 1.0,
) -> np.ndarray:
    """E max_j (mean_j + c_ij Z / sqrt(v_i + n)) - max_j mean_j for each reading i, (m,).

    mean: (n_arms,); covariance: c, (m, n_arms), between the readings and all arms; variance: v, (m,), of
    the readings. Exact (Frazier, Powell & Dayanik 2009, algorithm 1), but for changes beyond nine standard
    deviations; O(m n_arms), beside the sorting of those lines, few of many, that may be the largest
    somewhere. Given the price of each reading, gains that a bound shows to be no larger than it, or to leave
    less than another reading does, are given as 0. scale: that of covariance, variance and noise, beside
    means of rewards; all gains are then computed. unit: of rewards, in which gains tie.
    """
    slopes = covariance / np.sqrt(variance + noise_variance)[:, None]
    if scale is not None:
        away = mean - scale.origin
        return np.array([_lognormal_gain(away, each, scale.c) for each in slopes])
    best = int(mean.argmax())
    behind = mean[best] - mean
    relative = slopes - slopes[:, best : best + 1]
    paid, bound = np.zeros(len(slopes)), np.full(len(slopes), np.inf)
    if price is not None:
        paid, bound = np.broadcast_to(price, len(slopes)), _bounds(relative, behind)
    gains, most = np.zeros(len(slopes)), 0.0
    for i in np.argsort(paid - bound, kind="stable").tolist():
        if bound[i] - paid[i] <= most - _SLACK * unit:
            break
        near = np.abs(relative[i]) * _TAIL > behind
        near[best] = True
        gains[i] = _gain(-behind[near], relative[i, near])
        most = max(most, gains[i] - paid[i])
    return gains


def with_rivals(
    arms: np.ndarray,
    covariance: np.ndarray,
    variance: np.ndarray,
    rivals: np.ndarray,
    of_rivals: np.ndarray,
    noise_variance: float,
    price: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Covariance (m, n_arms), variance (m,) and price (m,) of readings of arms (m,) once the rival of each
    has been read: that of the arm b of the largest mean is the second, that of others b (`two_best`).

    A wave over all arms hides what one reading says about differences, and two readings show it. As in
    `indices`, the pair's price is c_i + rho^2 min(c_i, c_r), rho the correlation of the readings, and the
    rival's reading is taken to leave the means as they are. covariance: of the arms with all; variance and
    price: of all, (n_arms,); of_rivals: covariance of the two rivals with all, (2, n_arms).
    """
    which, own, shared, both = _with_rival(arms, variance, rivals, of_rivals, noise_variance, price)
    pull = own / (variance[rivals[which]] + noise_variance)
    left = covariance - pull[:, None] * of_rivals[which]
    return left, np.maximum(variance[arms] - shared, 0.0), both


def _bounds(slopes: np.ndarray, behind: np.ndarray) -> np.ndarray:
    """Bounds on E max_j (slope_ij Z - behind_j) within nine standard deviations, (m,): the maximum is convex
    in Z, so between the nodes it is at most its chord."""
    psi = _psi(_NODES)[0]
    bends = np.diff(np.diff(psi, append=0.0) / np.diff(_NODES, append=np.inf), prepend=0.0)
    bound = np.zeros(len(slopes))
    for first in range(0, len(slopes), _ROWS):
        rows = slice(first, first + _ROWS)
        lines = np.empty_like(slopes[rows])
        for node, weight in zip(_NODES[1:].tolist(), bends[1:].tolist(), strict=True):
            for z in (node, -node):
                np.multiply(slopes[rows], z, out=lines)
                lines -= behind
                bound[rows] += weight * lines.max(axis=1)
    return bound


def _gain(levels: np.ndarray, slopes: np.ndarray) -> float:
    """E max_j (levels_j + slopes_j Z) for lines of which one is 0 everywhere and largest at Z = 0."""
    kept, starts = _envelope(levels, slopes)
    steps = np.diff(slopes[kept])
    return float(steps @ _psi(np.abs(starts))[0]) if len(starts) else 0.0


def _lognormal_gain(mean: np.ndarray, slopes: np.ndarray, c: float) -> float:
    """E max_j y_j(Z) - max_j mean_j for 1 + y_j(Z)/c = (1 + mean_j/c) exp(b_j Z - b_j^2/2), b = slopes/c."""
    b, sign = slopes / c, math.copysign(1.0, c)
    levels = np.log1p(mean / c) - 0.5 * b * b
    kept, starts = _envelope(sign * levels, sign * b)
    ends = np.concatenate([[-np.inf], starts, [np.inf]])
    shares = ndtr(ends[1:] - b[kept]) - ndtr(ends[:-1] - b[kept])
    return float(((c + mean[kept]) * shares).sum() - c - mean.max())


def _envelope(levels: np.ndarray, slopes: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The lines that are the largest somewhere, by slope, and Z from which each after the first is."""
    lines = _candidates(levels, slopes)
    order = lines[np.lexsort((levels[lines], slopes[lines]))]
    kept: list[tuple[int, float, float, float]] = []  # line, level, slope and Z from which it is the largest
    for line, level, slope in zip(
        order.tolist(), levels[order].tolist(), slopes[order].tolist(), strict=True
    ):
        start = -math.inf
        while kept:
            _, last, gradient, begins = kept[-1]
            # of parallel lines the last one is the highest
            start = (last - level) / (slope - gradient) if slope > gradient else -math.inf
            if start > begins:
                break
            kept.pop()
        kept.append((line, level, slope, start if kept else -math.inf))
    return [line for line, *_ in kept], np.array([start for *_, start in kept[1:]])


def _candidates(levels: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Lines that may be the largest somewhere, few of many, in O(n): a line whose slope is between those of
    two others, and that is not above the point where they cross, is not. The others are the steepest lines
    and those that are the largest at the nodes."""
    nodes = np.concatenate([-_NODES[:0:-1], _NODES])
    largest = [(levels + slopes * z).argmax() for z in nodes.tolist()]
    others = np.array([slopes.argmin(), *largest, slopes.argmax()])
    others = others[np.argsort(slopes[others])]
    left, right = others[:-1], others[1:]
    with np.errstate(all="ignore"):  # parallel lines rule nothing out
        z = (levels[left] - levels[right]) / (slopes[right] - slopes[left])
        corners = levels[left] + slopes[left] * z
        pair = np.searchsorted(slopes[right[:-1]], slopes)
        below = levels + slopes * z[pair] <= corners[pair] - _ROUNDING * np.abs(corners[pair])
    below[others] = False
    return np.flatnonzero(~below)
