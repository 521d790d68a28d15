"""Space-time engine: any time kernel, exactly; O(n^2 r + G r^2) per round for n observations.

With A = K o k_T + Sigma = L L' over the data, which grows by one row per observation, k(x, .) = F F' of
rank r, and d_i = k_T(t_i, now):

    U = L^-1 diag(d) F[arms],  z = L^-1 y,  mu = F U'z,  sigma^2 = k_T(now, now) k(x, x) - diag(F U'U F').

(Rasmussen & Williams 2006, Algorithm 2.1, projected on the features of the arms.) A prior that is not of
low rank has F = K in the first formula, and no product in the second. Data older than `memory`
rounds are dropped, at least half of them at a time. That a datum hardly correlates with f_now is not
enough for that: under a squared exponential over time its influence through data in between falls by
about exp(-0.8) per length-scale only, hence the thirty length-scales.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dtrsm, dtrsv

from tvgp.kernels import Kernel, Product, SquaredExponential
from tvgp.posterior.deferred import Deferred, between
from tvgp.posterior.prior import Prior

# Length-scales of a squared exponential after which data are dropped.
_SCALES = 30.0

# Fewest observations for which room is made at a time.
_ROOM = 16

# Correlations in time below this are 0.
_NEGLIGIBLE = 1e-100


class SpaceTime(Deferred):
    """Exact posterior over all arms under any time kernel."""

    name = "space_time"

    def __init__(self, prior: Prior, noise_variance: float, time_kernel: Kernel) -> None:
        super().__init__(prior, noise_variance, time_kernel)
        self._F = prior.factor(prior.n_arms // 2)
        self._memory = memory(time_kernel)
        self.reset()

    def reset(self) -> None:
        """Forget all data, not the time."""
        self.condition(np.empty(0), np.empty(0, dtype=np.intp), np.empty(0), np.empty(0))

    def condition(
        self, times: np.ndarray, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray
    ) -> None:
        """Replace the data by values (n,) of arms (n,) at `times` (n,), increasing and not after now."""
        kept = slice(int(np.searchsorted(times, self._now - self._memory)), None)
        self._times, self._arms = np.array(times[kept], dtype=float), np.array(arms[kept])
        self._values, self._noises = np.array(values[kept]), np.array(noise_variances[kept])
        self.n = n = len(self._times)
        # L, z and features, with rows of the identity and of zeros for observations to come: BLAS would
        # copy a part
        self._lower = np.asfortranarray(np.eye(n + _ROOM))
        self._z = np.zeros(n + _ROOM)
        self._seen = np.zeros((n + _ROOM, self._rows(0).shape[0]), order="F")
        self._seen[:n] = rows = self._rows(self._arms)
        if n:
            gram = rows[:, self._arms] if self._F is None else rows @ rows.T
            gram = gram * between(self.time_kernel, self._times, self._times)
            gram.flat[:: n + 1] += self._noises
            lower = np.linalg.cholesky(gram)
            self._lower[:n, :n] = lower
            self._z[:n] = solve_triangular(lower, self._values, lower=True)
        roots = self._lower.diagonal()[:n]
        self.log_det = float(2.0 * np.log(roots).sum() - np.log(self._noises).sum())
        self._changed()

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f_now(arm) + noise; noise_variance: None for the engine's."""
        if self.n and self._times[self.n // 2] < self._now - self._memory:
            self.condition(self._times, self._arms, self._values, self._noises)
        if self.n == len(self._z):
            self._make_room()
        n, noise = self.n, noise_variance or self._noise
        row = np.zeros(len(self._z))
        if n:
            features = self._rows(arm)
            row[:n] = features[self._arms] if self._F is None else self._seen[:n] @ features
            row[:n] *= self._correlations()
            row = dtrsv(self._lower, row, lower=1, overwrite_x=1)
        prior = self.prior.diagonal[arm] * self._scale()
        pivot = max(float(prior) - float(row @ row), 0.0) + noise
        root = math.sqrt(pivot)
        self._z[n] = (value - float(row @ self._z)) / root
        self._lower[n, :n] = row[:n]
        self._lower[n, n] = root
        self._seen[n] = self._rows(arm)
        self._arms, self._times = np.append(self._arms, arm), np.append(self._times, self._now)
        self._values, self._noises = np.append(self._values, value), np.append(self._noises, noise)
        self.log_det += math.log(pivot / noise)
        self.n += 1
        self._changed()

    def _changed(self) -> None:
        super()._changed()
        self._d: np.ndarray | None = None

    def _rows(self, arms: np.ndarray | int) -> np.ndarray:
        """Features of arms, (n, r): rows of F, or of K without a factor."""
        return self.prior.rows(arms) if self._F is None else self._F[arms]

    def _scale(self) -> float:
        """k_T(now, now)."""
        return float(self.time_kernel.diagonal(np.array([[float(self._now)]]))[0])

    def _correlations(self) -> np.ndarray:
        """d, (n,)."""
        if self._d is None:
            d = between(self.time_kernel, self._times, self._now)[:, 0]
            d[np.abs(d) < _NEGLIGIBLE] = 0.0  # denormal numbers are slow
            self._d = d
        return self._d

    def _make_room(self) -> None:
        n = self.n
        size = n + max(_ROOM, n // 32)
        lower, z = np.asfortranarray(np.eye(size)), np.zeros(size)
        seen = np.zeros((size, self._seen.shape[1]), order="F")
        lower[:n, :n], z[:n], seen[:n] = self._lower, self._z, self._seen
        self._lower, self._z, self._seen = lower, z, seen

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        variance = self._scale() * self.prior.diagonal
        if not self.n:
            return np.zeros(self.prior.n_arms), variance
        d = np.zeros((len(self._z), 1))
        d[: self.n, 0] = self._correlations()
        U = dtrsm(1.0, self._lower, self._seen * d, lower=1, overwrite_b=1)
        mean = self._z @ U
        if self._F is None:
            variance -= np.einsum("ng,ng->g", U, U)
        else:
            mean = self._F @ mean
            variance -= np.einsum("gr,gr->g", self._F @ (U.T @ U), self._F)
        return mean, np.maximum(variance, 0.0, out=variance)


def memory(time_kernel: Kernel) -> float:
    """Rounds after which data are dropped: thirty length-scales of a squared exponential, none otherwise."""
    if isinstance(time_kernel, Product):
        return min(memory(time_kernel.left), memory(time_kernel.right))
    if isinstance(time_kernel, SquaredExponential):
        return _SCALES * float(np.max(time_kernel.length_scale))
    return math.inf
