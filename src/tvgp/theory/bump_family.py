"""The bump family of Scarlett, Bogunovic & Cevher 2017 and Theorem 5.3 at a frozen horizon, d = 1.

    H(u) = exp(-1/(1 - u^2)) on (-1, 1),  h(x) = int H(u) cos(2 pi u x) du,
    g(x) = (2 e / h(0)) h(x zeta / w),   |h(x)| < h(0)/2 for |x| > zeta,

f^m = g(. - c_m) has maximum 2e and is below e at distance w from its centre. Centres are 2w apart;
at the printed spacing w, the midpoint of two neighbours has 1.71 e under both. At time tau the data
are f(x) + N(0, sigma^2 (1 + (tau - t)^alpha)), f uniform on the family (Mauduit25b (35), (40)).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import zeta as riemann_zeta

_INTERVAL = (-50.0, 50.0)

# Standard deviations in the upper bound of adaptive queries.
_CONFIDENCE = 2.0

# The trapezium rule converges faster than any power for a smooth function of compact support.
_NODES = np.linspace(-1.0, 1.0, 801)[1:-1]
_SPACING = _NODES[1] - _NODES[0]
_H = np.exp(-1.0 / (1.0 - _NODES**2))


def h(x: np.ndarray | float) -> np.ndarray:
    """h(x) = int H(u) cos(2 pi u x) du, any shape; h(0) = 0.443994."""
    x = np.asarray(x, dtype=float)
    return _SPACING * np.cos(2.0 * np.pi * x[..., None] * _NODES) @ _H


H0 = float(h(0.0))
_LOWEST = float(h(np.linspace(0.0, 3.0, 3001)).min()) / H0  # -0.098
ZETA = float(brentq(lambda x: float(h(x)) - H0 / 2.0, 0.2, 0.7, xtol=1e-14))


@dataclass(frozen=True)
class Family:
    """Bumps of height 2 gap and width w; centres (M,), 2w apart."""

    gap: float
    width: float
    centres: np.ndarray

    def values(self, x: np.ndarray) -> np.ndarray:
        """f^m(x) for points x (n,), (n, M)."""
        return bump(np.asarray(x)[:, None] - self.centres, self.gap, self.width)

    @cached_property
    def at_centres(self) -> np.ndarray:
        """f^m(c_j), (M, M)."""
        return self.values(self.centres)

    @cached_property
    def fixed_information(self) -> float:
        """Largest mean KL between two functions, per unit of precision, of a point fixed in advance:

        max_x 1/M^2 sum_ij (f^i(x) - f^j(x))^2 / 2 (Mauduit25b, eq. 38), over the centres and seven
        points between two of them.
        """
        x = np.linspace(self.centres[0], self.centres[-1], 8 * len(self.centres) - 7)
        return float(self.values(x).var(axis=1).max())

    @property
    def adaptive_information(self) -> float:
        """Bound on the information about m, per unit of precision, of a point that may depend on the data:

        I(m; y | past) <= Var(f^m(x) | past) / (2 sigma^2) <= (max g - min g)^2 / (8 sigma^2).
        """
        return (2.0 * self.gap * (1.0 - _LOWEST)) ** 2 / 8.0


def bump(x: np.ndarray, gap: float, width: float) -> np.ndarray:
    """g(x) = (2 gap / h(0)) h(x zeta / width)."""
    return 2.0 * gap / H0 * h(np.asarray(x) * ZETA / width)


def bump_norm(gap: float, width: float, length_scale: float = 3.0, variance: float = 0.5) -> float:
    """|g|_k under M_k^2 exp(-r^2 / (2 l^2)), by quadrature; infinite where it overflows.

    |g|^2 = (2 gap/h(0))^2 w0 / (M_k^2 sqrt(2 pi l^2)) int exp(2 pi^2 l^2 u^2 / w0^2) H(u)^2 du with
    w0 = width / zeta.
    """
    w0 = width / ZETA
    exponent = 2.0 * (np.pi * length_scale * _NODES / w0) ** 2
    with np.errstate(over="ignore"):
        integral = _SPACING * np.exp(exponent - 2.0 / (1.0 - _NODES**2)).sum()
    front = (2.0 * gap / H0) ** 2 * w0 / (variance * np.sqrt(2.0 * np.pi) * length_scale)
    return float(np.sqrt(front * integral))


def published_width(
    gap: float, norm_bound: float = 5.0, length_scale: float = 3.0, variance: float = 0.5
) -> float:
    """w = zeta pi l / sqrt(log(M_k B (2 pi l^2)^(1/4) h(0) / (2 gap))), from Mauduit25b (36).

    ValueError where the logarithm is not positive: no such bump lies in the ball.
    """
    ratio = np.sqrt(variance) * norm_bound * (2 * np.pi * length_scale**2) ** 0.25 * H0 / (2 * gap)
    if not ratio > 1:
        raise ValueError(f"lower bound: gap is {gap}; too high for the norm bound {norm_bound}")
    return float(ZETA * np.pi * length_scale / np.sqrt(np.log(ratio)))


def narrowest_width(
    gap: float, norm_bound: float = 5.0, length_scale: float = 3.0, variance: float = 0.5
) -> float:
    """The least width at which |g|_k = B. The search starts from `published_width`, at which |g|_k is less,
    or larger for a gap that is nearly too high.

    ValueError where |g|_k is above B at all widths.
    """
    high = published_width(gap, norm_bound, length_scale, variance)
    low = high

    def excess(width: float) -> float:
        return np.log(bump_norm(gap, width, length_scale, variance) / norm_bound)

    # the norm of wide bumps falls with their width, that of narrow ones rises
    while excess(low) < 0 or excess(0.9 * low) < excess(low):
        if excess(high) >= 0:
            high = low
        low *= 0.9
    if excess(high) >= 0:
        raise ValueError(f"lower bound: gap is {gap}; too high for the norm bound {norm_bound}")
    return float(brentq(excess, low, high, xtol=1e-12))


def family(gap: float, width: float) -> Family:
    """The bumps that fit in [-50, 50] at spacing 2w, M = floor(L / (2w)) of them.

    ValueError if fewer than two fit.
    """
    count = int((_INTERVAL[1] - _INTERVAL[0]) / (2.0 * width))
    if count < 2:
        raise ValueError(f"lower bound: {count} bumps of width {width:.3g} fit; expected 2 or more")
    return Family(gap, width, _INTERVAL[0] + width * (1.0 + 2.0 * np.arange(count)))


def cumulative_precision(queries: np.ndarray, alpha: float, noise_variance: float) -> np.ndarray:
    """S_tau = sum_{t <= tau} n_t / (sigma^2 (1 + (tau - t)^alpha)) for every tau, (T,).

    queries: n_1, ..., n_T, not necessarily integers.
    """
    from scipy.signal import fftconvolve  # slow to import

    each = _precisions(np.arange(len(queries)), alpha, noise_variance)
    return fftconvolve(queries, each)[: len(queries)]


def counting_bound(n_queries: float, horizon: int, alpha: float, noise_variance: float) -> float:
    """Bound on the mean of S_tau over tau = 1..T for every schedule of N_T queries, alpha > 1:

    1/T sum_tau S_tau = 1/T sum_t n_t sum_{k <= T-t} 1/(sigma^2 (1 + k^alpha)) <= C N_T / T,
    C = (1 + 1/2 + zeta(alpha) - 1) / sigma^2 >= sum_{k >= 0} 1/(sigma^2 (1 + k^alpha)).

    By the argument of Theorem 5.3, regret is then linear whenever N_T = O(T). ValueError for
    alpha <= 1, where the sum diverges.
    """
    if not alpha > 1:
        raise ValueError(f"counting bound: alpha is {alpha}; expected more than 1")
    return (0.5 + float(riemann_zeta(alpha))) / noise_variance * n_queries / horizon


def even(horizon: int, n_queries: int) -> np.ndarray:
    """Queries spread as evenly as integers allow, (T,) summing to N_T."""
    cumulative = np.arange(horizon + 1, dtype=np.int64) * n_queries // horizon
    return np.diff(cumulative)


def bursts(horizon: int, n_queries: int, n_bursts: int) -> np.ndarray:
    """Queries in n_bursts equal bursts of one round each, evenly spaced; (T,) summing to N_T."""
    rounds = (np.arange(1, n_bursts + 1) * horizon // n_bursts) - 1
    queries = np.zeros(horizon, dtype=np.int64)
    np.add.at(queries, rounds, np.diff(np.arange(n_bursts + 1) * n_queries // n_bursts))
    return queries


def decide(
    bumps: Family,
    evaluations: np.ndarray,
    times: np.ndarray,
    alpha: float,
    noise_variance: float,
    trials: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Bayes decision at each tau of `times` (k,) from evaluations at uniformly random centres.

    evaluations: n_1, ..., n_T, main evaluations and queries alike. Error (the most probable f^m is
    not the true one) and regret 2 gap - f(its centre), (k, trials) each. The log likelihood of f^m is
    sum_j (Y_j f^m(c_j) - P_j f^m(c_j)^2 / 2) with P_j the precision gathered at c_j and
    Y_j ~ N(P_j f(c_j), P_j); ties, such as without data, are broken at random.
    """
    F = bumps.at_centres
    m, rows = len(F), np.arange(trials)[:, None]
    truth = rng.integers(m, size=(len(times), trials))
    P = np.empty((len(times), trials, m))
    for i, tau in enumerate(times):
        each = np.repeat(_precisions(tau - 1 - np.arange(tau), alpha, noise_variance), evaluations[:tau])
        cells = rng.integers(m, size=(trials, len(each))) + m * rows
        P[i] = np.bincount(cells.ravel(), np.tile(each, trials), trials * m).reshape(trials, m)
    Y = P * F[truth] + np.sqrt(P) * rng.standard_normal(P.shape)
    return _decided(bumps, truth, P, Y, rng)


def decide_adaptively(
    bumps: Family,
    evaluations: np.ndarray,
    times: np.ndarray,
    alpha: float,
    noise_variance: float,
    trials: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """As `decide`, but evaluations go to the centre with the largest upper bound, in at most M turns
    per round.

    The bound is Y_j / P_j + 2 / sqrt(P_j), infinite for a centre without data; ages are those at
    time tau, at which Theorem 5.3 freezes the problem, so each tau has a run of its own. times:
    ascending.
    """
    F = bumps.at_centres
    m = len(F)
    owner = np.repeat(np.asarray(times), trials)  # tau of each row
    truth = rng.integers(m, size=len(owner))
    P, Y = np.zeros((len(owner), m)), np.zeros((len(owner), m))
    upper = 1e9 + rng.random(P.shape)  # centres without data come first, in random order
    # a round with more than m evaluations places them in m turns
    turns = np.minimum(evaluations[: owner[-1]], m)
    firsts = np.searchsorted(owner, np.arange(1, owner[-1] + 1))  # row from which on a round has been
    rows = np.arange(0, P.size, m)  # row and centre are one index into flat arrays
    P_flat, Y_flat, F_flat, upper_flat = P.reshape(-1), Y.reshape(-1), F.reshape(-1), upper.reshape(-1)
    for t in np.flatnonzero(turns):
        first = firsts[t]
        each = evaluations[t] / turns[t] * _precisions(owner[first:] - 1 - t, alpha, noise_variance)
        root, own, true = np.sqrt(each), rows[first:], truth[first:]
        for z in rng.standard_normal((turns[t], len(own))):
            arm = upper[first:].argmax(axis=1)
            at = own + arm
            gathered = P_flat[at] + each
            response = Y_flat[at] + (each * F_flat[arm * m + true] + root * z)
            P_flat[at], Y_flat[at] = gathered, response
            upper_flat[at] = response / gathered + _CONFIDENCE / np.sqrt(gathered)
    shape = (len(times), trials)
    return _decided(bumps, truth.reshape(shape), P.reshape(*shape, m), Y.reshape(*shape, m), rng)


def fano_bound(information: np.ndarray | float, count: int) -> np.ndarray:
    """Fano's bound on the error of every decision among `count` functions, 0 or more:

    1 - (I + log 2) / log M, I the information in nats (Mauduit25b, eq. 37).
    """
    return np.maximum(0.0, 1.0 - (np.asarray(information) + np.log(2.0)) / np.log(count))


def _decided(
    bumps: Family, truth: np.ndarray, P: np.ndarray, Y: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Error and regret of the most probable function from precisions and weighted sums (..., M)."""
    F = bumps.at_centres
    score = Y @ F - 0.5 * P @ F**2
    tied = score >= score.max(axis=-1, keepdims=True) - 1e-12
    best = np.argmax(tied * (1.0 + rng.random(score.shape)), axis=-1)
    return best != truth, 2.0 * bumps.gap - F[best, truth]


def _precisions(lags: np.ndarray, alpha: float, noise_variance: float) -> np.ndarray:
    """1 / (sigma^2 (1 + lag^alpha))."""
    return 1.0 / (noise_variance * (1.0 + np.asarray(lags, dtype=float) ** alpha))
