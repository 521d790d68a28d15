"""Append engine: constant noise, any kernel; O(t G) per observation.

With L L' = K o D + sigma^2 I over the data and V = L^-1 K(X, arms), z = L^-1 y, a new
observation of arm g adds one row to V:

    d^2 = sigma^2(g) + noise,  v_new = (k(g, .) - V[:, g]' V) / d,  z_new = (y - mu(g)) / d,
    mu += z_new v_new,  sigma^2 -= v_new^2,  log det += log(d^2 / noise).

With the time kernel D_ij = (1-eps)^(|i-j|/2) of TV-GP-UCB (Bogunovic16, eq. 8-9) each round
multiplies k~ by rho = sqrt(1-eps): V <- rho V, mu <- rho mu, sigma^2 <- rho^2 sigma^2 +
(1-rho^2) k(x, x). V is kept unscaled, with one factor for all of it.

With the Wiener process of UI-TVBO, cov(f_s(x), f_t(x')) = k(x, x') (1 + q min(s, t)) for rounds from 0,
covariances with past data never change: the row of an observation in round j starts from
k(g, .) (1 + q j), and each round adds q k(x, x) to sigma^2.

Only V'V matters. Beyond the planned capacity and more rows than arms, V is replaced by the triangular factor
of V = Q R, so that a round takes O(G^2) however many they are; of a static f by that of sums by arm, since
rounding errors of one factor after another would add up.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dgemv

from tvgp.posterior.engine import Eager
from tvgp.posterior.merged.forms import Dual, Workspace
from tvgp.posterior.prior import Prior

# Rows of V scaled below this share of the newest are negligible in float64.
_NEGLIGIBLE = 1e-18


class Append(Eager):
    """Exact posterior over all arms by appending rows to a triangular solve."""

    name = "append"

    def __init__(
        self,
        prior: Prior,
        noise_variance: float,
        epsilon: float = 0.0,
        *,
        injection: float = 0.0,
        capacity: int = 64,
    ) -> None:
        """injection: q, without epsilon; capacity: initial number of rows; they grow on demand."""
        super().__init__(prior, noise_variance=noise_variance, epsilon=epsilon, injection=injection)
        self._injection = injection
        self._noise = noise_variance
        self._rho = math.sqrt(1.0 - epsilon)
        # the system allocates pages of zeros on first write only
        self._V = np.zeros((capacity, prior.n_arms))
        self._born = np.zeros(capacity)
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._first = self._last = 0
        self._scale = 1.0
        self._injected = 0.0
        self._precision, self._sums = np.zeros((2, self.prior.n_arms))  # of all data, as in the merged engine

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise, seen now; noise_variance: None for the engine's."""
        if self._last == len(self._V):
            self._make_space()
        row = self._V[self._last]
        row[:] = self.prior.rows(arm)
        if self._injected:
            row *= 1.0 + self._injected
        if self._last > self._first:
            V = self._V[self._first : self._last]
            # row -= scale^2 V[:, arm]' V; V' is Fortran-ordered, so nothing is copied
            dgemv(-(self._scale**2), V.T, V[:, arm], beta=1.0, y=row, overwrite_y=True)
        noise = noise_variance or self._noise
        pivot = self.variance.item(arm) + noise
        row /= math.sqrt(pivot)
        self.mean += ((value - self.mean.item(arm)) / math.sqrt(pivot)) * row
        self.variance -= row * row
        np.maximum(self.variance, 0.0, out=self.variance)
        self.log_det += math.log(pivot / noise)
        self._precision[arm] += 1.0 / noise
        self._sums[arm] += value / noise
        row /= self._scale
        self._born[self._last] = self._scale
        self._last += 1
        self.n += 1

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass: in each of them old data lose correlation by the factor sqrt(1 - eps), or f gains
        an independent part."""
        if self._injection:
            self._injected += rounds * self._injection
            self.variance += (rounds * self._injection) * self.prior.diagonal
        if self._rho == 1.0:
            return
        rho = self._rho**rounds
        rho2 = rho**2
        self.mean *= rho
        self.variance *= rho2
        self.variance += (1.0 - rho2) * self.prior.diagonal
        self._scale *= rho
        while self._first < self._last and self._scale < _NEGLIGIBLE * self._born[self._first]:
            self._first += 1
        if self._scale < 1e-100:
            self._V[self._first : self._last] *= self._scale
            self._born[self._first : self._last] /= self._scale
            self._scale = 1.0

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""
        V = self._V[self._first : self._last]
        prior = (1.0 + self._injected) * self.prior.rows(arms)
        return prior - self._scale**2 * (V[:, arms].T @ V)

    def _make_space(self) -> None:
        kept, born_kept = self._V[self._first : self._last], self._born[self._first : self._last]
        if len(kept) > self.prior.n_arms:  # rows as young as the youngest
            is_static = self._rho == 1.0 and not self._injection
            kept = self._joined() if is_static else np.linalg.qr(kept)[1]
            born_kept = np.full(len(kept), born_kept[-1])
        size = max(64, 2 * len(kept))
        V, born = np.zeros((size, self.prior.n_arms)), np.zeros(size)
        V[: len(kept)], born[: len(kept)] = kept, born_kept
        self._V, self._born = V, born
        self._first, self._last = 0, len(kept)

    def _joined(self) -> np.ndarray:
        """V for one observation per arm, of the same f; mean and variance are computed again."""
        form = Dual(Workspace(self.prior), self._precision)
        self.mean, self.variance = form.posterior(self._sums)
        return form.V
