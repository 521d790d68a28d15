"""Space-time engine: any stationary time kernel, exactly; O(n^2 r + G r) per round for n observations.

With A = K o k_T + Sigma = L L' over the data, k(x, .) = F F' of rank r, and d_i = k_T(t_i, now):

    U = L^-1 diag(d) F[arms],  z = L^-1 y,  mu = F U'z,  sigma^2 = k_T(now, now) k(x, x) - diag(F U'U F').

(Rasmussen & Williams 2006, Algorithm 2.1, projected on the features of the arms.) A prior that is not of
low rank has F = K in the first formula, and no product in the second. L^-1 grows by one row per
observation, whose row of L is (l', root) with l = L^-1 k: it is (-l'L^-1, 1) / root. A product with it is
more than twice as fast as a solution with L.

Of data ten length-scales of a squared exponential old, d is below 1e-21, and so are their rows of U: the
others follow from the last rows and columns of L^-1, and those before are dropped, at least half of them at
a time. The posterior is still that of all data, whose influence through data in between may be far larger
than d.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import dsyrk, dtrmm, dtrmv

from tvgp.kernels import Kernel, Product, SquaredExponential
from tvgp.posterior import triangles
from tvgp.posterior.deferred import Deferred, between
from tvgp.posterior.harmonics import Harmonics
from tvgp.posterior.prior import Prior

# Fewest observations for which room is made at a time.
_ROOM = 32

# Length-scales of a squared exponential after which data are dropped.
_SCALES = 10.0

# Correlations in time below this are 0. It is far below what changes a posterior in float64, and far above
# denormal numbers, which are slow.
_NEGLIGIBLE = 1e-30

# Fewest arms per harmonic for which cosines and sines are faster than the factor's columns.
_ARMS_PER_HARMONIC = 3


class SpaceTime(Deferred):
    """Exact posterior over all arms under any stationary time kernel."""

    name = "space_time"

    def __init__(self, prior: Prior, noise_variance: float, time_kernel: Kernel) -> None:
        super().__init__(prior, noise_variance, time_kernel)
        self._harmonics = Harmonics.of(prior, prior.n_arms // _ARMS_PER_HARMONIC)
        self._F = self._harmonics.factor if self._harmonics else prior.factor(prior.n_arms // 2)
        self._memory = memory(time_kernel)
        self._by_lag = np.empty(0)
        self.reset()

    def reset(self) -> None:
        """Forget all data, not the time."""
        self.condition(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0), np.empty(0))

    def condition(
        self, times: np.ndarray, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray
    ) -> None:
        """Replace the data by values (n,) of arms (n,) at `times` (n,), integers, increasing and
        not after now."""
        self.n = n = len(times)
        rows = self._rows(arms)
        gram = rows[:, arms] if self._F is None else rows @ rows.T
        gram = gram * self._correlation(np.abs(np.subtract.outer(times, times)))
        gram.flat[:: n + 1] += noise_variances
        inverse = triangles.inverse(triangles.cholesky(gram)) if n else np.empty((0, 0))
        self.log_det = float(-2.0 * np.log(inverse.diagonal()).sum() - np.log(noise_variances).sum())
        self._store(inverse, inverse @ values, rows, times, arms)
        self._changed()

    def _store(
        self, inverse: np.ndarray, z: np.ndarray, seen: np.ndarray, times: np.ndarray, arms: np.ndarray
    ) -> None:
        """L^-1, z, features, times and arms of n observations, with room for more: rows of the identity and
        of zeros, since BLAS would copy a part."""
        n = len(z)
        size = n + max(_ROOM, n // 32)
        self._inverse = np.asfortranarray(np.eye(size))
        self._seen = np.zeros((size, seen.shape[1]), order="F")
        self._z, (self._times, self._arms) = np.zeros(size), np.zeros((2, size), dtype=np.intp)
        self._inverse[:n, :n], self._seen[:n] = inverse, seen
        self._z[:n], self._times[:n], self._arms[:n] = z, times, arms

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f_now(arm) + noise; noise_variance: None for the engine's."""
        if self.n == len(self._z):
            self._make_room()
        n, noise = self.n, noise_variance or self._noise
        features = self._rows(arm)
        row = np.zeros(len(self._z))
        if n:
            row[:n] = features[self._arms[:n]] if self._F is None else self._seen[:n] @ features
            row *= self._correlations()
            row = dtrmv(self._inverse, row, lower=1, overwrite_x=1)
        prior = self.prior.diagonal[arm] * self._correlation(0)
        pivot = max(float(prior) - float(row @ row), 0.0) + noise
        root = math.sqrt(pivot)
        self._z[n] = (value - float(row @ self._z)) / root
        self._inverse[n, :n] = dtrmv(self._inverse, row, lower=1, trans=1)[:n] / -root
        self._inverse[n, n] = 1.0 / root
        self._seen[n], self._arms[n], self._times[n] = features, arm, self._now
        self.log_det += math.log(pivot / noise)
        self.n += 1
        self._changed()

    def _changed(self) -> None:
        super()._changed()
        self._d: np.ndarray | None = None

    def _rows(self, arms: np.ndarray | int) -> np.ndarray:
        """Features of arms, (n, r): rows of F, or of K without a factor."""
        return self.prior.rows(arms) if self._F is None else self._F[arms]

    def _correlation(self, lags: np.ndarray | int) -> np.ndarray:
        """k_T at lags in rounds, from a table."""
        if self._now >= len(self._by_lag):
            table = between(self.time_kernel, 0.0, np.arange(2.0 * self._now + _ROOM))[0]
            table[np.abs(table) < _NEGLIGIBLE] = 0.0
            self._by_lag = table
        return self._by_lag[lags]

    def _correlations(self) -> np.ndarray:
        """d, 0 for observations to come."""
        if self._d is None:
            self._d = self._correlation(self._now - self._times)
            self._d[self.n :] = 0.0
        return self._d

    def _make_room(self) -> None:
        """Room for an observation: that of old ones if they are half of all, or more."""
        old = int(np.searchsorted(self._times, self._now - self._memory))
        kept = slice(old if 2 * old >= self.n else 0, None)
        self._store(
            self._inverse[kept, kept], self._z[kept], self._seen[kept], self._times[kept], self._arms[kept]
        )
        self.n -= kept.start
        self._d = None

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        variance = self._correlation(0) * self.prior.diagonal
        if not self.n:
            return np.zeros(self.prior.n_arms), variance
        U = dtrmm(1.0, self._inverse, self._seen * self._correlations()[:, None], lower=1, overwrite_b=1)
        mean = self._z @ U
        if self._F is None:
            variance -= np.einsum("ng,ng->g", U, U)
        else:
            mean = self._F @ mean
            C = dsyrk(1.0, U, trans=1, lower=1)
            variance -= self._harmonics.quadratic_forms(C) if self._harmonics else quadratic_forms(C, self._F)
        return mean, np.maximum(variance, 0.0, out=variance)


def quadratic_forms(C: np.ndarray, F: np.ndarray) -> np.ndarray:
    """diag(F C F'), (G,), for F (G, r) and a symmetric C (r, r), of which the lower triangle is read; C is
    overwritten.

    Twice that of F T F', with T the triangle and its diagonal halved: half of the work.
    """
    C.flat[:: len(C) + 1] *= 0.5
    products = dtrmm(2.0, C, F.T, lower=1, trans_a=1)
    return np.einsum("gr,gr->g", products.T, F)


def memory(time_kernel: Kernel) -> float:
    """Rounds after which data are dropped: ten length-scales of a squared exponential, none otherwise."""
    if isinstance(time_kernel, Product):
        return min(memory(time_kernel.left), memory(time_kernel.right))
    if isinstance(time_kernel, SquaredExponential):
        return _SCALES * float(np.max(time_kernel.length_scale))
    return math.inf
