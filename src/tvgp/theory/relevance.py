"""Relevance of observations: what the posterior loses, now and later, by forgetting one (Bardou et al. 2024).

Under cov(f_s(x), f_t(x')) = k(x, x') k_T(t - s), with M_k^2 the variance of k, D = K o K_T + Sigma over the
data, P = D^-1 and a = P y, forgetting observation i changes the posterior by

    mu - mu' = M_k^2 c'p_i a_i / P_ii,    sigma'^2 - sigma^2 = M_k^4 (c'p_i)^2 / P_ii,

with c(x, t) the correlations of f_t(x) with the data and p_i a column of P. The square of the 2-Wasserstein
distance between two normal variables is at most (mu - mu')^2 + |sigma'^2 - sigma^2|; integrated over space
and all t from now on, with C the integral of c c',

    W_i^2 = M_k^4 (a_i^2 / P_ii^2 + 1 / P_ii) p_i'C p_i,    W_0^2 = M_k^4 (a'C a + sum_ij P_ij C_ij),
    R_i = W_i / W_0,

W_0 the distance to the prior. In the authors' code (wdbo_criterion 2.2.1) R_i comes from the inverses
with and without i; the rank-one form above is ours and equal. Their integral over the domain, scaled to
[0, 1]^d, is one over all of R^d, clipped at 1. Its factor over time for a squared exponential differs
from the integral there, and is corrected here.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import erf, gamma, kv

from tvgp.kernels import Kernel, Matern12, Matern32, Radial, SquaredExponential

_MOST_DIMENSIONS = 100  # above it K_m overflows before its limit is reached

TIME_KERNELS = (Matern12, Matern32, SquaredExponential)


def overlap_in_space(kernel: Kernel, X: np.ndarray, Y: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Integral of k(x, x_i) k(x, y_j) / M_k^4 over R^d, in units of the domain's volume, at most 1; (n, m).

    sides: of the domain, (d,). With r the distance scaled by the length-scales l, v = prod_i l_i / side_i:
    squared exponential v pi^(d/2) exp(-r^2/4); Matern, u = sqrt(2 nu) r and m = 2 nu + d/2,

        v (pi/2 nu)^(d/2) 2^(1 + d/2 - 2 nu) Gamma(nu + d/2)^2 / (Gamma(2 nu + d) Gamma(nu)^2) u^m K_m(u).

    ValueError for other kernels, and in more than 100 dimensions.
    """
    d = len(sides)
    if not isinstance(kernel, Radial):
        raise ValueError(f"relevance: kernel {kernel.name} has no closed form, expected se or matern")
    if d > _MOST_DIMENSIONS:
        raise ValueError(f"relevance: arms in {d} dimensions, expected at most {_MOST_DIMENSIONS}")
    lengths = np.broadcast_to(np.asarray(kernel.length_scale, dtype=float), (d,))
    r = cdist(X / lengths, Y / lengths)
    with np.errstate(over="ignore"):  # where length-scales are far beyond the domain, the result is 1
        volume = float(np.prod(lengths / sides)) * math.pi ** (d / 2)
    if math.isfinite(kernel.smoothness):
        nu, order = kernel.smoothness, 2 * kernel.smoothness + d / 2
        ratio = gamma(nu + d / 2) ** 2 / (gamma(2 * nu + d) * gamma(nu) ** 2)
        constant = 2.0 ** (1 + d / 2 - 2 * nu) * ratio * (2 * nu) ** (-d / 2)
        # 0 K_m(0) is a limit, reached before K_m overflows; u^m K_m(u) is 0 in float64 before u^m does
        nearest = max(1e-8, 2.0 * (gamma(order) / 1e300) ** (1.0 / order))
        u = np.clip(math.sqrt(2 * nu) * r, nearest, 700.0)
        shape = constant * u**order * kv(order, u)
    else:
        shape = np.exp(-0.25 * np.minimum(r, 1e3) ** 2)
    return np.minimum(volume * shape, 1.0)


def overlap_in_time(kernel: Kernel, times: np.ndarray, now: float) -> np.ndarray:
    """Integral of k_T(t - t_i) k_T(t - t_j) over t >= now, (n, n), for times (n,) up to now.

    With s_i = now - t_i: exponential, (l/2) e^(-(s_i + s_j)/l); Matern 3/2, with a = sqrt(3)/l and
    P_i = 1 + a s_i, e^(-a(s_i + s_j)) (2 P_i P_j + P_i + P_j + 1)/(4a); squared exponential,
    (sqrt(pi)/2) l e^(-(s_i - s_j)^2/4l^2) erfc((s_i + s_j)/2l). ValueError for other kernels.
    """
    if not isinstance(kernel, TIME_KERNELS):
        raise ValueError(f"relevance: time kernel {kernel.name}, expected matern12, matern32 or se")
    length = float(np.max(kernel.length_scale))
    s = now - np.asarray(times, dtype=float)
    both = s[:, None] + s
    if isinstance(kernel, Matern12):
        return 0.5 * length * np.exp(-both / length)
    if isinstance(kernel, Matern32):
        a = math.sqrt(3.0) / length
        P = 1.0 + a * s
        return np.exp(-a * both) * (2.0 * P[:, None] * P + P[:, None] + P + 1.0) / (4.0 * a)
    apart = np.exp(-((s[:, None] - s) ** 2) / (4.0 * length**2))
    return 0.5 * math.sqrt(math.pi) * length * apart * (1.0 - erf(both / (2.0 * length)))


def relevance(inverse: np.ndarray, values: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """R_i, (n,), from P (n, n), y (n,) and C (n, n).

    Infinite where W_0^2 is not positive: clipped at 1, C is no longer an integral of squares, so for
    length-scales beyond the domain it defines no distance.
    """
    a = inverse @ values
    pivots = inverse.diagonal()
    squares = np.einsum("ij,ij->i", inverse @ overlap, inverse)
    lost = (a * a / pivots + 1.0) * squares / pivots
    whole = a @ overlap @ a + np.vdot(inverse, overlap)
    if not whole > 0.0:
        return np.full(len(values), np.inf)
    return np.sqrt(np.maximum(lost, 0.0) / whole)


def without(inverse: np.ndarray, i: int) -> np.ndarray:
    """P of the data without observation i, (n - 1, n - 1)."""
    kept = np.delete(np.arange(len(inverse)), i)
    column = inverse[kept, i]
    return inverse[np.ix_(kept, kept)] - np.outer(column, column) / inverse[i, i]
