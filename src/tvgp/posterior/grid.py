"""Grid engine: the posterior covariance of all arms; O(G^2) per observation, flat in t.

An observation y of arm g, with c = C[g] the posterior covariance of f(g) with f on all arms:

    s = c_g + noise,  mu += c (y - mu(g)) / s,  C -= c c' / s,  log det += log(s / noise).

(Rasmussen & Williams 2006, eq. 2.23-2.24, for one observation at a time.) The columns c / sqrt(s) = w of
the latest observations wait, C = C_0 - W W', until 32 of them are subtracted by one product of matrices:
for 900 arms that takes a quarter of the time of as many updates by rank one. The engine needs no low rank,
which suits the slowly decaying spectra of Matern kernels on a grid over a long horizon.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dgemv, dsyrk

from tvgp.posterior.engine import Eager
from tvgp.posterior.prior import Prior

_WAITING = 32  # most columns of W


class Grid(Eager):
    """Exact posterior over all arms through their covariance matrix."""

    name = "grid"

    def __init__(self, prior: Prior, noise_variance: float) -> None:
        super().__init__(prior, noise_variance=noise_variance)
        self._noise = noise_variance
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._C: np.ndarray | None = None  # C_0, its lower triangle; None until the first observation
        self._W = np.empty((0, 0))
        self._waiting = 0

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise; noise_variance: None for the engine's."""
        if self._C is None:
            self._C = np.array(self.prior.gram, order="F")
            self._W = np.zeros((self.prior.n_arms, _WAITING), order="F")
        k, w = self._waiting, self._W[:, self._waiting]
        w[:arm] = self._C[arm, :arm]
        w[arm:] = self._C[arm:, arm]
        if k:
            dgemv(-1.0, self._W[:, :k], self._W[arm, :k], beta=1.0, y=w, overwrite_y=True)
        noise = noise_variance or self._noise
        pivot = self.variance[arm] + noise
        root = math.sqrt(pivot)
        w /= root
        self.mean += ((value - self.mean[arm]) / root) * w
        self.variance -= w * w
        np.maximum(self.variance, 0.0, out=self.variance)
        self._waiting += 1
        if self._waiting == _WAITING:
            dsyrk(-1.0, self._W, beta=1.0, c=self._C, lower=1, overwrite_c=True)
            self._waiting = 0
        self.log_det += np.log(pivot / noise)
        self.n += 1

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""
        if self._C is None:
            return self.prior.rows(arms).copy()
        whole = np.tril(self._C) + np.tril(self._C, -1).T
        W = self._W[:, : self._waiting]
        return whole[arms] - W[arms] @ W.T

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass; this engine forgets nothing."""
