"""Divergence between the posteriors from a subset and from all observations, used by SparQ's bounds.

Mauduit25b, Proposition 3.2, bounds E KL(P^s || P^v) by eta, where P^v is the posterior from T virtual
observations of f_T with noise variance sigma^2 and P^s the posterior from a subset of them. The
result it cites (Burt et al. 2020) bounds a different divergence: that of the variational posterior q
on inducing points, which uses all outputs.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tvgp.kernels import Kernel
from tvgp.posterior.sparse import InducingPoints, Sparse

ETA = 0.2  # Mauduit25b, Proposition 3.4, needs 2 KL <= eta <= 1/5


def divergence(
    kernel: Kernel, X: np.ndarray, y: np.ndarray, chosen: np.ndarray, noise_variance: float
) -> float:
    """KL(P^s || P^v) in nats, P^s from (X, y)[chosen], P^v from all of (X, y), X (n, d), y (n,).

    Let r index the remaining data, mu and C the mean and covariance of f(X_r) under P^s, and
    e = y_r - mu: KL = (|e|^2 + tr C) / (2 sigma^2) - e'(C + sigma^2 I)^-1 e / 2
    - log|I + C / sigma^2| / 2.
    """
    rest = np.setdiff1d(np.arange(len(X)), chosen)
    mean, C = _condition(kernel, X[chosen], y[chosen], X[rest], noise_variance)
    e = y[rest] - mean
    n = len(rest)
    factor = cho_factor(C + noise_variance * np.eye(n), lower=True)
    log_det = 2.0 * np.log(np.diagonal(factor[0])).sum() - n * np.log(noise_variance)
    quadratic = e @ cho_solve(factor, e)
    return float(0.5 * ((e @ e + C.trace()) / noise_variance - quadratic - log_det))


def variance_ratio(
    kernel: Kernel, X: np.ndarray, chosen: np.ndarray, arms: np.ndarray, noise_variance: float
) -> np.ndarray:
    """sigma_s^2(x) / sigma_v^2(x) at arms (G, d), (G,); at least 1."""
    return _variance(kernel, X[chosen], arms, noise_variance) / _variance(kernel, X, arms, noise_variance)


def variational(
    kernel: Kernel,
    X: np.ndarray,
    y: np.ndarray,
    Z: np.ndarray,
    arms: np.ndarray,
    noise_variance: float,
) -> tuple[float, np.ndarray]:
    """KL(q || P^v) and the variance ratio of q at arms, q the optimal variational posterior.

    KL = log p(y) - ELBO, at most tr(K - Q) / (2 sigma^2) in expectation (Burt et al. 2020).
    """
    points, sparse = InducingPoints(kernel, Z), Sparse(len(Z), noise_variance)
    sparse.observe(points.whiten(X), y, kernel.diagonal(X))
    K = kernel(X, X) + noise_variance * np.eye(len(X))
    factor = cho_factor(K, lower=True)
    evidence = -0.5 * (
        y @ cho_solve(factor, y) + 2.0 * np.log(np.diagonal(factor[0])).sum() + len(X) * np.log(2.0 * np.pi)
    )
    _, variance = sparse.predict(points.whiten(arms), kernel.diagonal(arms))
    exact = _variance(kernel, X, arms, noise_variance)
    return float(max(evidence - sparse.evidence_bound(), 0.0)), variance / exact


def residual_trace(kernel: Kernel, X: np.ndarray, Z: np.ndarray) -> float:
    """tr(K_XX - K_XZ K_ZZ^+ K_ZX), the Nystrom residual (Mauduit25b, Definition 3.7); 0 or more."""
    half = InducingPoints(kernel, Z).whiten(X)
    return float(max((kernel.diagonal(X) - (half**2).sum(axis=0)).sum(), 0.0))


def _condition(
    kernel: Kernel, X: np.ndarray, y: np.ndarray, at: np.ndarray, noise_variance: float
) -> tuple[np.ndarray, np.ndarray]:
    factor = cho_factor(kernel(X, X) + noise_variance * np.eye(len(X)), lower=True)
    cross = kernel(X, at)
    solved = cho_solve(factor, cross)
    return solved.T @ y, kernel(at, at) - cross.T @ solved


def _variance(kernel: Kernel, X: np.ndarray, at: np.ndarray, noise_variance: float) -> np.ndarray:
    factor = cho_factor(kernel(X, X) + noise_variance * np.eye(len(X)), lower=True)
    cross = kernel(X, at)
    return kernel.diagonal(at) - (cross * cho_solve(factor, cross)).sum(axis=0)
