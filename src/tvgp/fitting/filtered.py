"""Marginal likelihood of a field by a Kalman filter over its rounds: many values per round, any missing.

    f_t = a_t f_{t-1} + sqrt(1 - a_t^2) g_t,  a_t = (1 - eps)^(lag_t / 2),  g_t ~ N(0, K) independent
    y_t = f_t + b at the sites observed in round t + noise,  b ~ N(0, v I) the same in all rounds

is Markov in (f_t, b), so the likelihood of T rounds at S sites costs O(T S^3) instead of O(n^3) for n values
(Bogunovic16, appendix B has the batch form without b; the value is the same). The gradient is the exact score
(Koopman & Shephard 1992, "Exact score for time series models in state space form", Biometrika 79) by one
backward recursion over the adjoints of the predicted mean and covariance.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.linalg import block_diag, lapack
from scipy.spatial.distance import cdist

from tvgp import kernels


class Filtered:
    """Values (n,) of distinct pairs of a site and a time. points (n, d), times (n,); level_variance: v, where
    0 leaves b out of the state."""

    def __init__(
        self, points: np.ndarray, times: np.ndarray, values: np.ndarray, level_variance: float = 0.0
    ) -> None:
        self._sites, where = np.unique(points, axis=0, return_inverse=True)
        self._distances = cdist(self._sites, self._sites)
        self.n = len(values)
        rounds, when = np.unique(times, return_inverse=True)
        order = np.lexsort((where.ravel(), when))
        cuts = np.cumsum(np.bincount(when))[:-1]
        # entries of the state that add up to the values of each round
        observed = np.split(where.ravel()[order], cuts)
        self._parts = [(o, o + len(self._sites)) if level_variance else (o,) for o in observed]
        self._values = np.split(values[order], cuts)
        self._lags = np.diff(rounds)
        self._level_variance = level_variance

    def evaluate(
        self, kernel: kernels.Kernel, noise_variance: float, epsilon: float, gradient: bool
    ) -> tuple[float, dict[str, float]]:
        """As `tvgp.fitting.log_marginal_likelihood`; no derivatives without `gradient`.

        LinAlgError where that function raises ValueError.
        """
        rates = np.concatenate([[0.0], kernels.forgetting_correlation(self._lags, epsilon)])
        K, P = self._prior(kernel)
        mean = np.zeros(len(K))
        value = -0.5 * self.n * np.log(2 * np.pi)
        steps = []
        # from a round to the next f_t keeps a of itself and b all
        factors = np.where(np.arange(len(K)) < len(self._sites), rates[:, None], 1.0)
        for a, kept, parts, y in zip(rates, factors, self._parts, self._values, strict=True):
            before = mean, P
            mean, P = kept * mean, kept[:, None] * P * kept + (1.0 - a * a) * K
            G = sum(P[part] for part in parts)
            A = sum(G[:, part] for part in parts)
            A.flat[:: len(y) + 1] += noise_variance
            L, failed = lapack.dpotrf(A, lower=1)
            if failed:
                raise np.linalg.LinAlgError
            W, _ = lapack.dtrtrs(L, np.column_stack([G, y - sum(mean[part] for part in parts)]), lower=1)
            W, w = W[:, :-1], W[:, -1]
            value -= 0.5 * (w @ w) + np.log(L.diagonal()).sum()
            mean, P = mean + w @ W, P - W.T @ W
            if gradient:
                steps.append((parts, kept, a, L, W, w, *before))
        if not gradient:
            return float(value), {}
        return float(value), self._score(kernel, noise_variance, epsilon, K, steps)

    def _score(
        self,
        kernel: kernels.Kernel,
        noise_variance: float,
        epsilon: float,
        K: np.ndarray,
        steps: list[tuple[Any, ...]],
    ) -> dict[str, float]:
        """The derivatives. r and (r r' - C) / 2 are those of the rounds not yet passed, in the mean and the
        covariance of the state; a round's observation and its prediction are undone in turn."""
        r, C = np.zeros(len(K)), np.zeros_like(K)
        by_kernel, by_noise, by_epsilon = np.zeros_like(K), 0.0, 0.0
        S, lags = len(self._sites), [*self._lags[::-1], 0.0]
        for (parts, kept, a, L, W, w, mean, P), lag in zip(reversed(steps), lags, strict=True):
            root, _ = lapack.dtrtri(L, lower=1)
            X = root.T @ W  # the gain, transposed
            XC = X @ C
            u = root.T @ w - X @ r
            D = root.T @ root + XC @ X.T
            by_noise += 0.5 * (u @ u - D.trace())
            for part in parts:
                r[part] += u
                C[part] -= XC
                C[:, part] -= XC.T
            for pair in product(parts, parts):
                C[np.ix_(*pair)] += D
            C = 0.5 * (C + C.T)  # rounding errors that are not symmetric grow
            E = r[:, None] * r - C
            by_kernel += 0.5 * (1.0 - a * a) * E
            by_rate = r[:S] @ mean[:S] + np.vdot(E[:S], P[:S] * kept) - a * np.vdot(E, K)
            by_epsilon -= 0.5 * lag * epsilon * a * by_rate
            r, C = kept * r, kept[:, None] * C * kept
        by_kernel = by_kernel[:S, :S]
        slopes = kernel.log_gradients_at(self._distances)
        return {
            "variance": float(np.vdot(by_kernel, slopes["variance"])),
            "length_scale": float(np.vdot(by_kernel, slopes["length_scale"])),
            "noise_variance": noise_variance * float(by_noise),
            "epsilon": float(by_epsilon),
        }

    def _prior(self, kernel: kernels.Kernel) -> tuple[np.ndarray, np.ndarray]:
        """Covariance of the state's innovations over 1 - a^2, and of the state before its first round."""
        K = kernel(self._sites, self._sites)
        if not self._level_variance:
            return K, np.zeros_like(K)
        zero = np.zeros_like(K)
        return block_diag(K, zero), block_diag(zero, self._level_variance * np.eye(len(K)))
