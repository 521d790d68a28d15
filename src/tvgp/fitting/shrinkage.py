"""Means and covariances of the sites of a panel, shrunk by how little the data say; any value missing.

A panel is values (T, S) of S sites at T times, NaN where there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.fitting.observations import as_numbers, site_offsets

# Share of the largest eigenvalue to which smaller ones are raised.
_SMALLEST = 1e-9


@dataclass(frozen=True)
class SiteMeans:
    """mean (S,): common + weight offset; common: mean of all values less their offsets; weight (S,): 0 for a
    site without a value, towards 1 for many; between, within: variance of the offsets, and of a value about
    its site and time."""

    mean: np.ndarray
    common: float
    weight: np.ndarray
    between: float
    within: float


def shrunk_means(values: np.ndarray) -> SiteMeans:
    """Mean of each site of a panel, shrunk to the common one (random effects in an analysis of variance).

        y_tx = a_t + b_x + e_tx by least squares (`site_offsets`),  weight_x = B / (B + W / n_x)
        W = sum e^2 / (N - T - S + 1),  B = max(var(b) - mean(W / n_x), 0)

    for n_x of N values; b does not depend on the seasons in which a site has its gaps. The values of a site
    count as independent. ValueError unless the panel has two sites with values and more values than
    parameters.
    """
    values = _panel(values)
    present = np.isfinite(values)
    counts, rows = present.sum(axis=0), present.any(axis=1)
    seen = counts > 0
    free = int(counts.sum() - rows.sum() - seen.sum() + 1)
    if seen.sum() < 2 or free < 1:
        raise ValueError(
            f"fit: {counts.sum()} values of {seen.sum()} sites at {rows.sum()} times do not determine their"
            " means"
        )
    b = site_offsets(values)
    rest = values[rows] - b
    a = np.nanmean(rest, axis=1)
    within = float(np.nansum((rest - a[:, None]) ** 2)) / free
    errors = within / counts[seen]
    between = max(float(np.var(b[seen], ddof=1) - errors.mean()), 0.0)
    weight = np.zeros(len(b))
    if between:
        weight[seen] = between / (between + errors)
    common = float(np.nanmean(rest))
    return SiteMeans(common + weight * np.where(seen, b, 0.0), common, weight, between, within)


@dataclass(frozen=True)
class ShrunkCovariance:
    """covariance (S, S), positive definite; weight: of the target, from 0 to 1; correlation: that of the
    target; unseen: number of pairs of sites without a common time."""

    covariance: np.ndarray
    weight: float
    correlation: float
    unseen: int


def shrunk_covariance(anomalies: np.ndarray, weight: float | None = None) -> ShrunkCovariance:
    """Covariance between sites, from anomalies (T, S) of mean 0, shrunk to constant correlation.

        s_ij = sum x_i x_j / n_ij over the n_ij times of both,  f_ij = r sqrt(s_ii s_jj),  f_ii = s_ii
        C = (1 - w) S + w F,  r the mean of s_ij / sqrt(s_ii s_jj)
        w = sum_(i != j) (pi_ij / n_ij - r/2 (q_ij t_ij / n_ii + q_ji t_ji / n_jj)) / sum (f_ij - s_ij)^2
        pi_ij = mean (x_i x_j - s_ij)^2,  t_ij = mean (x_i^2 - s_ii)(x_i x_j - s_ij),  q_ij^2 = s_jj / s_ii

    cut to [0, 1]: Ledoit & Wolf 2004, "Honey, I shrunk the sample covariance matrix" (appendix B), where n_ij
    is T. Each term has its own number of times here, and a pair without any has s_ij = f_ij. Negative
    eigenvalues, which pairwise covariances can have, become 0 (1e-9 of the largest), and the diagonal is
    restored. weight: w, None for the formula. The times count as independent. ValueError for a site with
    fewer than two values, or only zeros.
    """
    x = _panel(anomalies)
    present = np.isfinite(x).astype(float)
    x = np.where(present > 0, x, 0.0)
    counts = present.T @ present
    own = counts.diagonal()
    poor = (own < 2) | ~x.any(axis=0)
    if poor.any():
        raise ValueError(f"fit: site {poor.argmax()} has {own[poor.argmax()]:.0f} values, or only zeros")
    shared = np.maximum(counts, 1.0)
    S = x.T @ x / shared
    variances = S.diagonal().copy()
    std = np.sqrt(variances)
    pairs = (counts > 0) & ~np.eye(len(S), dtype=bool)
    correlation = float((S / np.outer(std, std))[pairs].mean()) if pairs.any() else 0.0
    F = correlation * np.outer(std, std)
    np.fill_diagonal(F, variances)
    S = np.where(counts > 0, S, F)
    if weight is None:
        spread = (x**2).T @ x**2 / shared - S**2
        squares = (x**2).T @ present / shared - variances[:, None]
        joint = (x**3).T @ x / shared - variances[:, None] * S - S * squares
        slopes = np.outer(1.0 / std, std) * joint / own[:, None]
        errors = spread / shared - 0.5 * correlation * (slopes + slopes.T)
        misfit = float(((F - S)[pairs] ** 2).sum())
        weight = float(np.clip(errors[pairs].sum() / misfit, 0.0, 1.0)) if misfit else 1.0
    values, U = np.linalg.eigh((1.0 - weight) * S + weight * F)
    C = (U * np.maximum(values, _SMALLEST * values[-1])) @ U.T
    scale = std / np.sqrt(C.diagonal())
    C = C * np.outer(scale, scale)
    unseen = int((counts == 0).sum()) // 2
    return ShrunkCovariance(0.5 * (C + C.T), weight, correlation, unseen)


def _panel(values: np.ndarray) -> np.ndarray:
    """Values as float64 (T, S). ValueError for another shape or an infinite value."""
    values = as_numbers(values)
    if values.ndim != 2:
        raise ValueError(f"fit: values have shape {values.shape}, expected (times, sites)")
    if np.isinf(values).any():
        time, site = np.argwhere(np.isinf(values))[0]
        raise ValueError(f"fit: value at time {time}, site {site} is infinite")
    return values
