"""RKHS norms of training slices and the norm bound B."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tvgp.fitting.observations import as_numbers, check_noise_variance
from tvgp.kernels import Kernel


@dataclass(frozen=True)
class NormBound:
    """`value` = min(quantile of the slice norms, cap); `uncapped` is that quantile."""

    value: float
    uncapped: float
    bounds_hit: tuple[str, ...]


def rkhs_norm(
    kernel: Kernel, points: np.ndarray, values: np.ndarray, noise_variance: float
) -> float | np.ndarray:
    """||f||_k = sqrt(a' K a) of the ridge interpolant f = k(.)'a, a = (K + noise I)^-1 y.

    `points` (n, d); `values` (n,) for one norm or (n, m) for m functions, result (m,). Dimensionless:
    values and sqrt(k(x, x)) have the same unit. ValueError for values that are not finite, a negative
    noise variance, or a matrix that is not numerically positive definite.
    """
    points, values = as_numbers(points), as_numbers(values)
    if points.ndim != 2 or values.shape[:1] != (len(points),):
        raise ValueError(
            f"norm: points have shape {points.shape}, values {values.shape}; expected (n, d), (n,) or (n, m)"
        )
    if not np.isfinite(values).all():
        raise ValueError("norm: a value is not a finite number")
    check_noise_variance(noise_variance)
    K = kernel(points, points)
    A = K + noise_variance * np.eye(len(K))
    try:
        factor = cho_factor(A, lower=True)
        # of a singular matrix rounding can leave a pivot above 0
        definite = (factor[0].diagonal() ** 2 > len(K) * np.finfo(float).eps * A.diagonal()).all()
    except np.linalg.LinAlgError:
        definite = False
    if not definite:
        raise ValueError(
            f"norm: covariance of {len(K)} points is not positive definite for {kernel}, "
            f"noise_variance={noise_variance:.3g}; use a larger noise variance or fewer points"
        )
    a = cho_solve(factor, values)
    # a'Ka is at least 0; rounding can leave less where K has no variance
    norms = np.sqrt(np.maximum(np.sum(a * (K @ a), axis=0), 0.0))
    return float(norms) if values.ndim == 1 else norms


def norm_bound(
    kernel: Kernel,
    coordinates: np.ndarray,
    slices: np.ndarray,
    noise_variance: float,
    *,
    prior_mean: float = 0.0,
    quantile: float = 0.95,
    cap: float = 20.0,
) -> NormBound:
    """B: a quantile, over rounds, of the norms of f_t - prior_mean, at most `cap`.

    `coordinates` (N, d), `slices` (T, N) with NaN where a site has no value; such sites are omitted
    from that round's interpolant, and rounds without any value are skipped. The kernel-ridge norm
    underestimates ||f_t||_k; the quantile ignores the most extreme rounds.
    """
    slices = as_numbers(slices)
    if slices.ndim != 2 or slices.shape[1] != len(coordinates):
        raise ValueError(f"norm: slices have shape {slices.shape}, expected (rounds, {len(coordinates)})")
    if not 0 <= quantile <= 1:
        raise ValueError(f"norm: quantile is {quantile}, must lie in [0, 1]")
    if not cap > 0:
        raise ValueError(f"norm: cap is {cap}, must be positive")
    available = np.isfinite(slices)
    by_pattern: list[np.ndarray] = []
    # rounds with the same sites share one factorisation
    for mask in np.unique(available, axis=0):
        if mask.any():
            rows = (available == mask).all(axis=1)
            values = (slices[rows][:, mask] - prior_mean).T
            by_pattern.append(np.asarray(rkhs_norm(kernel, coordinates[mask], values, noise_variance)))
    if not by_pattern:
        raise ValueError("norm: no round has a value")
    uncapped = float(np.quantile(np.concatenate(by_pattern), quantile))
    hit = (f"norm_bound at its cap {cap:.6g}",) if uncapped > cap else ()
    return NormBound(value=min(uncapped, float(cap)), uncapped=uncapped, bounds_hit=hit)
