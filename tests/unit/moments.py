"""Tests of the first two moments of draws."""

import numpy as np
from scipy import stats


def moments_agree(draws, mean, covariance, false_alarms=1e-3):
    """All means and all entries of the covariance (n, p draws), as z-tests on whitened draws, each
    at the level false_alarms / number of tests (Bonferroni)."""
    n, p = draws.shape
    root = np.linalg.cholesky(covariance)
    white = np.linalg.solve(root, (draws - mean).T).T
    second = white.T @ white / n
    z = [*(np.sqrt(n) * white.mean(0)), *(np.sqrt(n / 2) * (second.diagonal() - 1))]
    z += [*(np.sqrt(n) * second[np.tril_indices(p, -1)])]
    return np.abs(z).max() < stats.norm.isf(false_alarms / (2 * len(z)))
