"""Grid engine: the posterior covariance of all arms, updated by rank one; O(G^2), flat in t.

An observation y of arm g, with c = C[g] the posterior covariance of f(g) with f on all arms:

    s = c_g + noise,  mu += c (y - mu(g)) / s,  C -= c c' / s,  log det += log(s / noise).

(Rasmussen & Williams 2006, eq. 2.23-2.24, for one observation at a time.) It needs no low
rank, which suits the slowly decaying spectra of Matern kernels on a grid over a long horizon.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsyr

from tvgp.posterior.engine import Eager
from tvgp.posterior.prior import Prior


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
        self._C: np.ndarray | None = None  # None until the first observation

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise; noise_variance: None for the engine's."""
        if self._C is None:
            self._C = np.array(self.prior.gram, order="F")
        c = np.empty(self.prior.n_arms)  # only the lower triangle of C is up to date
        c[:arm] = self._C[arm, :arm]
        c[arm:] = self._C[arm:, arm]
        noise = noise_variance or self._noise
        pivot = self.variance[arm] + noise
        dsyr(-1.0 / pivot, c, lower=1, a=self._C, overwrite_a=True)
        self.mean += ((value - self.mean[arm]) / pivot) * c
        c *= c
        c /= pivot
        self.variance -= c
        np.maximum(self.variance, 0.0, out=self.variance)
        self.log_det += np.log(pivot / noise)
        self.n += 1

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass; this engine forgets nothing."""
