"""Weight-space engine: K = F F' of numerical rank r; O(G r + r^2) per step, flat in t.

f = F theta with theta ~ N(m, P), at first N(0, I). An observation y of arm g, with phi = F[g]:

    h = P phi,  s = phi'h + noise,  m += h (y - phi'm) / s,  P -= h h' / s,
    mu += F h (y - mu(g)) / s,  sigma^2 -= (F h)^2 / s,  log det += log(s / noise).

One round of TV-GP-UCB (Bogunovic16, section 2) is a Kalman predict step with rho = sqrt(1-eps):

    m <- rho m,  P <- rho^2 P + (1 - rho^2) I,
    mu <- rho mu,  sigma^2 <- rho^2 sigma^2 + (1 - rho^2) k(x, x).

One round of the Wiener process of UI-TVBO is P <- P + q I, sigma^2 <- sigma^2 + q k(x, x).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dgemv, dsymm, dsymv, dsyr

from tvgp.posterior.engine import Eager
from tvgp.posterior.prior import Prior, padded

# Without forgetting, rounding errors of rank-one updates accumulate; after this many observations the
# state is recomputed from the visits and sums of each arm.
_REFRESH = 4096


class WeightSpace(Eager):
    """Exact posterior over all arms through r weights."""

    name = "weight_space"

    def __init__(
        self, prior: Prior, noise_variance: float, epsilon: float = 0.0, *, injection: float = 0.0
    ) -> None:
        """injection: q, without epsilon. ValueError for a prior without a factor, see `Prior.factor`."""
        super().__init__(prior, noise_variance=noise_variance, epsilon=epsilon, injection=injection)
        self._injection = injection
        factor = prior.factor(prior.n_arms)
        if factor is None:
            raise ValueError(
                f"weight_space engine: the prior over {prior.n_arms} arms is not of low rank; use append"
            )
        self._F = factor
        self._across = padded(np.ascontiguousarray(factor.T))
        self._noise = noise_variance
        self._rho = math.sqrt(1.0 - epsilon)
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        rank = self._F.shape[1]
        self._P = np.asfortranarray(np.eye(rank))
        self._visits = np.zeros(self.prior.n_arms)
        self._sums = np.zeros(self.prior.n_arms)

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise, seen now; noise_variance: None for the engine's."""
        noise = noise_variance or self._noise
        # only the lower triangle of P is kept up to date
        h = dsymv(1.0, self._P, self._F[arm], lower=1)
        u = self._at_arms(h)
        s = self.variance.item(arm) + noise
        dsyr(-1.0 / s, h, lower=1, a=self._P, overwrite_a=True)
        self.mean += ((value - self.mean.item(arm)) / s) * u
        u *= u
        u /= s
        self.variance -= u
        np.maximum(self.variance, 0.0, out=self.variance)
        self.log_det += math.log(s / noise)
        self.n += 1
        if self._rho == 1.0 and not self._injection:
            self._visits[arm] += self._noise / noise
            self._sums[arm] += value * (self._noise / noise)
            if self.n % _REFRESH == 0:
                self._refresh()

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass: Kalman predict steps, in one."""
        if self._injection:
            added = rounds * self._injection
            self._add_to_diagonal(added)
            self.variance += added * self.prior.diagonal
        if self._rho == 1.0:
            return
        rho = self._rho**rounds
        rho2 = rho**2
        self._P *= rho2
        self._add_to_diagonal(1.0 - rho2)
        self.mean *= rho
        self.variance *= rho2
        self.variance += (1.0 - rho2) * self.prior.diagonal

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""
        return dsymm(1.0, self._P, self._F[arms].T, lower=1).T @ self._F.T

    def _at_arms(self, weights: np.ndarray) -> np.ndarray:
        """F times weights (r,), (G,)."""
        return dgemv(1.0, self._across.T, weights)[: self.prior.n_arms]

    def _add_to_diagonal(self, added: float) -> None:
        self._P.ravel(order="K")[:: len(self._P) + 1] += added

    def _refresh(self) -> None:
        """The same posterior from P^-1 = I + F' diag(visits) F / noise, without history."""
        seen = np.flatnonzero(self._visits)
        Fs = self._F[seen]
        precision = (Fs.T * (self._visits[seen] / self._noise)) @ Fs
        precision.flat[:: len(precision) + 1] += 1.0
        root = np.linalg.inv(np.linalg.cholesky(precision))
        self._P = np.asfortranarray(root.T @ root)
        self.mean = self._F @ (self._P @ (Fs.T @ (self._sums[seen] / self._noise)))
        spread = self._F @ root.T
        outside = self.prior.diagonal - np.einsum("gr,gr->g", self._F, self._F)
        self.variance = np.einsum("gr,gr->g", spread, spread) + np.maximum(outside, 0.0)
