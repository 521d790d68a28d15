"""Marginal likelihood of a field by a Kalman filter over its rounds: many values per round, any missing.

    f_t = a_t f_{t-1} + sqrt(1 - a_t^2) g_t,  a_t = (1 - eps)^(lag_t / 2),  g_t ~ N(0, K) independent
    y_t = f_t(sites observed in round t) + noise

is Markov, so the likelihood of T rounds at S sites costs O(T S^3) instead of O(n^3) for n values
(Bogunovic16, appendix B has the batch form; the value is the same). The gradient is the exact score
(Koopman & Shephard 1992, "Exact score for time series models in state space form", Biometrika 79) by one
backward recursion over the adjoints of the predicted mean and covariance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from tvgp import kernels


class Filtered:
    """Values (n,) of distinct pairs of a site and a time. points (n, d), times (n,)."""

    def __init__(self, points: np.ndarray, times: np.ndarray, values: np.ndarray) -> None:
        self._sites, where = np.unique(points, axis=0, return_inverse=True)
        self.n = len(values)
        rounds, when = np.unique(times, return_inverse=True)
        order = np.lexsort((where.ravel(), when))
        cuts = np.cumsum(np.bincount(when))[:-1]
        self._observed = np.split(where.ravel()[order], cuts)
        self._values = np.split(values[order], cuts)
        self._lags = np.diff(rounds)

    def evaluate(self, kernel: kernels.Kernel, noise_variance: float, epsilon: float, gradient: bool) -> Any:
        """As `tvgp.fitting.log_marginal_likelihood`; LinAlgError where that has a ValueError."""
        rates = np.concatenate([[0.0], kernels.forgetting_correlation(self._lags, epsilon)])
        K = kernel(self._sites, self._sites)
        mean, P = np.zeros(len(K)), K
        value = -0.5 * self.n * np.log(2 * np.pi)
        steps = []
        for a, o, y in zip(rates, self._observed, self._values, strict=True):
            before = mean, P
            mean, P = a * mean, a * a * P + (1.0 - a * a) * K
            G = P[o]
            A = G[:, o]
            A.flat[:: len(o) + 1] += noise_variance
            L, failed = lapack.dpotrf(A, lower=1)
            if failed:
                raise np.linalg.LinAlgError
            W, _ = lapack.dtrtrs(L, np.column_stack([G, y - mean[o]]), lower=1)
            W, w = W[:, :-1], W[:, -1]
            value -= 0.5 * (w @ w) + np.log(L.diagonal()).sum()
            mean, P = mean + w @ W, P - W.T @ W
            if gradient:
                steps.append((o, a, L, W, w, *before))
        if not gradient:
            return float(value)
        return float(value), self._score(kernel, noise_variance, epsilon, K, steps)

    def _score(
        self, kernel: kernels.Kernel, noise_variance: float, epsilon: float, K: np.ndarray, steps: list
    ) -> dict[str, float]:
        """The derivatives. r and (r r' - C) / 2 are those of the rounds not yet passed, in the mean and the
        covariance of f_t; a round's observation and its prediction are undone in turn."""
        r, C = np.zeros(len(K)), np.zeros_like(K)
        by_kernel, by_noise, by_epsilon = np.zeros_like(K), 0.0, 0.0
        for (o, a, L, W, w, mean, P), lag in zip(reversed(steps), [*self._lags[::-1], 0.0], strict=True):
            root, _ = lapack.dtrtri(L, lower=1)
            X = root.T @ W  # the gain, transposed
            XC = X @ C
            u = root.T @ w - X @ r
            D = root.T @ root + XC @ X.T
            by_noise += 0.5 * (u @ u - D.trace())
            r[o] += u
            C[o] -= XC
            C[:, o] -= XC.T
            C[np.ix_(o, o)] += D
            C = 0.5 * (C + C.T)  # rounding errors that are not symmetric grow
            E = r[:, None] * r - C
            by_kernel += 0.5 * (1.0 - a * a) * E
            by_epsilon -= 0.5 * lag * epsilon * a * (r @ mean + a * np.vdot(E, P - K))
            r, C = a * r, a * a * C
        slopes = kernel.log_gradients(self._sites)
        return {
            "variance": float(np.vdot(by_kernel, slopes["variance"])),
            "length_scale": float(np.vdot(by_kernel, slopes["length_scale"])),
            "noise_variance": noise_variance * float(by_noise),
            "epsilon": float(by_epsilon),
        }
