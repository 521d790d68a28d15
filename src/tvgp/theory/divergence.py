"""Divergence between the posteriors from a subset and from all observations, used by SparQ's bounds.

Mauduit25b, Proposition 3.2, bounds E KL(P^s || P^v) by eta, where P^v is the posterior from T virtual
observations of f_T with noise variance sigma^2 and P^s the posterior from a subset of them. The
result it cites (Burt et al. 2020) bounds a different divergence: that of the variational posterior q
on inducing points, which uses all outputs.

The step that fails (Mauduit25a, Appendix 0.B.1, before eq. 34): P^E is introduced as the posterior given
the M answers Y^E; its KL divergence is then minimised over "the distribution Phi of f(X^E) | Y^v_T", which
makes it q, given all T outputs, and eq. (34), ELBO + KL = log p(Y^v_T), holds for q alone. Nothing bounds
the divergence of the posterior that the algorithm has; `least_divergence` bounds it from below.
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


def _variance(
    kernel: Kernel, X: np.ndarray, at: np.ndarray, noise_variance: float | np.ndarray
) -> np.ndarray:
    """At `at` (m, d), given observations at X (n, d) of one noise variance, or of one each, (n,)."""
    factor = cho_factor(kernel(X, X) + noise_variance * np.eye(len(X)), lower=True)
    cross = kernel(X, at)
    return kernel.diagonal(at) - (cross * cho_solve(factor, cross)).sum(axis=0)


def expected_divergence(
    kernel: Kernel, X: np.ndarray, plays: np.ndarray, chosen: np.ndarray, noise_variance: float
) -> float:
    """E KL(P^s || P^v) over the data, in nats: X (n, d) distinct inputs, played `plays` (n,) times, each of
    those `chosen` observed once in P^s.

    With c_i the eigenvalues of C / sigma^2, C the covariance under P^s of f at the T - M other
    observations, it is sum_i c_i - log(1 + c_i) / 2.
    """
    rest = np.array(plays, dtype=float)
    rest[chosen] -= 1.0
    _, C = _condition(kernel, X[chosen], np.zeros(len(chosen)), X, noise_variance)
    root = np.sqrt(rest / noise_variance)
    c = np.maximum(np.linalg.eigvalsh(root[:, None] * C * root), 0.0)
    return float((c - 0.5 * np.log1p(c)).sum())


def expected_variational_divergence(
    kernel: Kernel, X: np.ndarray, plays: np.ndarray, chosen: np.ndarray, noise_variance: float
) -> float:
    """E KL(q || P^v) over the data, in nats, q the variational posterior on the inputs `chosen`; arguments
    as in `expected_divergence`.

    (log|Q + s| - log|K + s| + tr (Q + s)^-1 (K - Q) + tr (K - Q) / sigma^2) / 2, s = sigma^2 I, over all
    observations; those of an input count as one of noise variance sigma^2 / plays.
    """
    half = InducingPoints(kernel, X[chosen]).whiten(X)
    root = np.sqrt(plays / noise_variance)
    K = root[:, None] * kernel(X, X) * root
    half = half * root
    Q = half.T @ half
    noisy_K, noisy_Q = (cho_factor(each + np.eye(len(X)), lower=True) for each in (K, Q))
    log_dets = [2.0 * np.log(np.diagonal(factor[0])).sum() for factor in (noisy_Q, noisy_K)]
    residual = K - Q
    traces = np.trace(cho_solve(noisy_Q, residual)) + residual.trace()
    return float(max(0.5 * (log_dets[0] - log_dets[1] + traces), 0.0))


def variances(
    kernel: Kernel, X: np.ndarray, plays: np.ndarray, chosen: np.ndarray, noise_variance: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Variances of f at the inputs under P^s, P^v and q, (n,) each; arguments as in `expected_divergence`."""
    half = InducingPoints(kernel, X[chosen]).whiten(X)
    information = np.eye(len(half)) + (half * plays) @ half.T / noise_variance
    prior = kernel.diagonal(X)
    q = prior - (half**2).sum(axis=0) + (half * np.linalg.solve(information, half)).sum(axis=0)
    sparse = _variance(kernel, X[chosen], X, noise_variance)
    return sparse, _variance(kernel, X, X, noise_variance / plays), q


def least_divergence(
    rounds: np.ndarray | int, size: np.ndarray | int, variance: float, noise_variance: float
) -> np.ndarray:
    """(T - M) k / (2 (sigma^2 + M k)), the least that E KL(P^s || P^v) can be, in nats, whatever the kernel
    with k(x, x) = k, the T inputs and the M of the observations.

    M observations of variance sigma^2 leave f(x) the variance k sigma^2 / (sigma^2 + M k) at least: with c
    their covariances with f(x), |c|^2 <= M k^2, and K >= c c' / k as the joint covariance matrix is positive
    semi-definite. Hence tr C is at least T - M times that, and c - log(1 + c) / 2 >= c / 2. For a fixed f
    in place of a random one the mean over the noise is at least 3/4 of it.
    It is below eta only if M >= (T - 2 eta sigma^2 / k) / (1 + 2 eta): Proposition 3.2 needs five sixths of
    the rounds where 2 KL <= eta = 1/5, and fails for every M = o(T).

    >>> round(float(least_divergence(1000, 42, 0.5, 0.01)), 1)
    11.4
    """
    rounds, size = np.asarray(rounds, dtype=float), np.asarray(size, dtype=float)
    return (rounds - size) * variance / (2.0 * (noise_variance + size * variance))


def least_variance_ratio(
    plays: np.ndarray | int, size: np.ndarray | int, variance: float, noise_variance: float
) -> np.ndarray:
    """(sigma^2 + n k) / (sigma^2 + M k), the least that sigma_s^2(x) / sigma_v^2(x) can be at an input
    played n times, whatever the M observations of P^s; Mauduit25b, eq. (25), bounds it by 1 + sqrt(3 eta).

    >>> round(float(least_variance_ratio(1000, 42, 0.5, 0.01)), 1)
    23.8
    """
    plays, size = np.asarray(plays, dtype=float), np.asarray(size, dtype=float)
    return (noise_variance + plays * variance) / (noise_variance + size * variance)
