"""Space-time engine: any stationary time kernel, exactly; O(n^2 r + G r) per round for n observations.

With A = K o k_T + Sigma = L L' over the data, k(x, .) = F F' of rank r, and d_i = k_T(t_i, now):

    U = L^-1 diag(d) F[arms],  mu = F F[arms]' diag(d) A^-1 y,
    sigma^2 = k_T(now, now) k(x, x) - diag(F U'U F').

(Rasmussen & Williams 2006, Algorithm 2.1, projected on the features of the arms.) A prior that is not of
low rank has F = K in U, and no product with F. L^-1 grows by one row per observation, whose row of L is
(l', root) with l = L^-1 k: it is (-l'L^-1, 1) / root. A product with it is more than twice as fast as a
solution with L.

The best arm needs few variances. With the first columns F_1 of F alone, f = f_1 + f_2 of independent parts,
and the norms of the columns of L^-1 diag(d) k(arms, x) for f and for f_1 differ by less than the prior's
standard deviation of f_2(x), since A is at least its part from f_2 and noise. This, in single precision,
bounds sigma at all arms; only those that may still have the largest score are computed as above.

Of data so old that k_T is below 1e-14 (8 1/4 length-scales of a squared exponential, 32 1/2 of a Matern 1/2
kernel) the rows of U are 0 to rounding: the others follow from the last rows and columns of L^-1, and those
before are dropped. The posterior is still that of all data, whose influence through data in between may be
far larger than d, and n stays bounded. A kernel that never decays keeps all data: O(n^2 r) with n = t.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.linalg.blas import dsyrk, dtrmm, dtrmv, strmm

from tvgp import acquisition
from tvgp.kernels import Kernel, Product
from tvgp.kernels.radial import Radial
from tvgp.posterior import triangles
from tvgp.posterior.deferred import Deferred, between
from tvgp.posterior.prior import Prior

# Fewest observations by which the capacity grows.
_ROOM = 32

# Rounds up to which the time kernel is kept at every lag.
_LONGEST_TABLE = 2**17

# Correlation in time below which data are dropped.
_DROPPED = 1e-14

# Correlations in time below this are 0. It is far below what changes a posterior in float64, and far above
# denormal numbers, which are slow.
_NEGLIGIBLE = 1e-30

# The same for each of the three factors of a product in single precision.
_NEGLIGIBLE_SINGLE = np.float32(1e-12)

# Share of the prior's variance at which the columns of F are the first ones.
_REST = 1e-8

# Error of a variance v - u'u in single precision is below this times v^(3/2) times the largest entry of
# L^-1: ten times the largest seen, 4.5e-7, in 400 rounds with three time kernels and noise of 1e-2 to 1e-7.
_ROUNDING = 5e-6

# Most arms whose variances are computed one by one.
_MOST_RIVALS = 24


class SpaceTime(Deferred):
    """Exact posterior over all arms under any stationary time kernel."""

    name = "space_time"

    def __init__(self, prior: Prior, noise_variance: float, time_kernel: Kernel) -> None:
        super().__init__(prior, noise_variance, time_kernel)
        self.time_kernel = time_kernel
        self._F = prior.factor(prior.n_arms // 2)
        self._memory = memory(time_kernel)
        self._by_lag = np.empty(0)
        self._own = self._correlation(0) * prior.diagonal
        self._unit = prior.unit  # of single precision, whose numbers have a narrow range
        if self._F is not None:
            self._first, rest = _first_columns(prior, self._F.shape[1])
            rest = self._correlation(0) * rest
            self._slack = 2.0 * np.sqrt(self._own * rest) + rest
            self._rounding = _ROUNDING * self._own**1.5
        self.reset()

    def reset(self) -> None:
        """Forget all data, not the time."""
        self.condition(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0), np.empty(0))

    def condition(
        self,
        times: np.ndarray,
        arms: np.ndarray,
        values: np.ndarray,
        noise_variances: np.ndarray,
        lower: np.ndarray | None = None,
    ) -> None:
        """Replace the data by values (n,) of arms (n,) at `times` (n,), integers, increasing and
        not after now. lower: L, where it is known, with zeros above the diagonal."""
        self.n = n = len(times)
        if lower is None:
            gram = self.prior.rows(arms).take(arms, axis=1)
            gram *= self._correlation(np.abs(np.subtract.outer(times, times)))
            gram.flat[:: n + 1] += noise_variances
            lower = triangles.cholesky(gram) if n else gram
        inverse = triangles.inverse(lower) if n else lower
        self.log_det = float(-2.0 * np.log(inverse.diagonal()).sum() - np.log(noise_variances).sum())
        self._largest = float(inverse.diagonal().max(initial=0.0))
        self._store(inverse, _single(inverse * self._unit), (inverse @ values) @ inverse, times, arms)
        self._changed()

    def _store(
        self,
        inverse: np.ndarray,
        single: np.ndarray,
        weights: np.ndarray,
        times: np.ndarray,
        arms: np.ndarray,
    ) -> None:
        """L^-1, the same in single precision and units, A^-1 y, times and arms of n observations, with spare
        capacity: rows of the identity and of zeros, since BLAS would copy a part."""
        n = len(weights)
        size = n + max(_ROOM, n // 32)
        self._inverse, self._single = np.eye(size), np.eye(size, dtype=np.float32)
        self._weights, (self._times, self._arms) = np.zeros(size), np.zeros((2, size), dtype=np.intp)
        self._inverse[:n, :n], self._single[:n, :n], self._weights[:n] = inverse, single, weights
        self._times[:n], self._arms[:n] = times, arms
        rows = self._rows(arms)
        self._seen = np.zeros((size, rows.shape[1]), dtype=rows.dtype)
        self._seen[:n] = rows

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f_now(arm) + noise; noise_variance: None for the engine's."""
        if self.n == len(self._weights):
            self._make_space()
        n, noise = self.n, noise_variance or self._noise
        k, u = self._column(arm)
        pivot = max(self._own.item(arm) - float(u @ u), 0.0) + noise
        residual = value - float(k @ self._weights)
        row = dtrmv(self._inverse.T, u)
        row[n] = -1.0
        row /= -math.sqrt(pivot)
        self._inverse[n] = row
        self._single[n, : n + 1] = _single(row[: n + 1] * self._unit)
        self._largest = max(self._largest, row.item(n))
        self._weights += (residual * row.item(n)) * row
        self._seen[n], self._arms[n], self._times[n] = self._rows(arm), arm, self._now
        self.log_det += math.log(pivot / noise)
        self.n += 1
        self._changed()

    def best_arm(
        self, width: float, prior_mean: np.ndarray | None = None, available: np.ndarray | None = None
    ) -> int:
        """The arm with the largest m(x) + mean + width sigma, ties to the lowest index.

        See `Engine.best_arm`.
        """
        if self._kept is not None or self._F is None or not self.n:
            return super().best_arm(width, prior_mean, available)
        scores = self._mean()
        if prior_mean is not None:
            scores += prior_mean
        if available is not None:
            scores[~available] = -np.inf
        low, high = self.variance_bounds()
        most = scores + width * np.sqrt(high)
        top = int(most.argmax())
        least = scores.item(top) + width * math.sqrt(max(low.item(top), 0.0))
        tie = acquisition.TIE * self.prior.unit
        rivals = np.flatnonzero(most >= least - 2.0 * tie)
        if not (least > -math.inf and len(rivals) <= _MOST_RIVALS):
            return super().best_arm(width, prior_mean, available)
        if len(rivals) == 1:
            return top
        best = -math.inf
        for arm in rivals[np.argsort(-most[rivals], kind="stable")]:
            if most[arm] < best - 2.0 * tie:
                most[arm] = -np.inf
                continue
            u = self._column(arm)[1]
            most[arm] = scores[arm] + width * math.sqrt(max(self._own.item(arm) - float(u @ u), 0.0))
            best = max(best, most.item(arm))
        return int(rivals[acquisition.best_arm(most[rivals], unit=self.prior.unit)])

    def variance_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers below and above the variances of all arms, both (n_arms,), in less time than these; for a
        prior of low rank."""
        variance, slack = self._coarse_variance(), self._slack + self._largest * self._rounding
        return variance - slack, variance + slack

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of f_now at arms (m,) with all arms, (m, n_arms): O(m n (n + n_arms))."""
        inverse = self._inverse[: self.n, : self.n]
        k = self.prior.rows(self._arms[: self.n]) * self._correlations()[: self.n, None]
        return self._correlation(0) * self.prior.rows(arms) - (inverse @ k[:, arms]).T @ inverse @ k

    def _coarse_variance(self) -> np.ndarray:
        """Variance of f_now over all arms by the first columns of F, in single precision."""
        near = self._seen * _single(self._correlations())[:, None]
        U = strmm(1.0, self._single.T, near.T, side=1, overwrite_b=1)
        explained = quadratic_forms((U @ U.T).T, self._first).astype(float)
        return np.maximum(self._own - explained * self._unit * self._unit, 0.0)

    def _column(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """k = diag(d) k(arms, x) for the data, and L^-1 k."""
        if arm not in self._columns:
            k = self.prior.rows(arm)[self._arms] * self._correlations()
            self._columns[arm] = k, dtrmv(self._inverse.T, k, trans=1)
        return self._columns[arm]

    def _changed(self) -> None:
        super()._changed()
        self._d: np.ndarray | None = None
        self._columns: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def _correlation(self, lags: np.ndarray | int) -> np.ndarray:
        """k_T at lags in rounds, from a table of all lags so far unless they are too many."""
        if self._now >= _LONGEST_TABLE:
            return self._tabulated(np.ravel(lags)).reshape(np.shape(lags))
        if self._now >= len(self._by_lag):
            self._by_lag = self._tabulated(np.arange(2 * self._now + _ROOM))
        return self._by_lag[lags]

    def _tabulated(self, lags: np.ndarray) -> np.ndarray:
        """k_T at lags (n,)."""
        table = between(self.time_kernel, 0.0, lags)[0]
        table[np.abs(table) < _NEGLIGIBLE] = 0.0
        return table

    def _correlations(self) -> np.ndarray:
        """d, 0 for observations to come."""
        if self._d is None:
            self._d = self._correlation(self._now - self._times)
            self._d[self.n :] = 0.0
        return self._d

    def _make_space(self) -> None:
        """Make space for an observation, without those that are too old."""
        kept = slice(int(np.searchsorted(self._times, self._now - self._memory)), None)
        both = self._inverse[kept, kept], self._single[kept, kept]
        self._store(*both, self._weights[kept], self._times[kept], self._arms[kept])
        self.n -= kept.start
        self._changed()

    def _rows(self, arms: np.ndarray | int) -> np.ndarray:
        """What is kept of arms, (n, r): the first columns of F, or all of K without a factor."""
        return self.prior.rows(arms) if self._F is None else self._first[arms]

    def _mean(self) -> np.ndarray:
        """Mean of f_now over all arms."""
        weights = self._correlations() * self._weights
        if self._F is None:
            return weights @ self._seen
        return self._F @ (np.bincount(self._arms, weights, self.prior.n_arms) @ self._F)

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.n:
            return np.zeros(self.prior.n_arms), self._own.copy()
        rows = self._seen if self._F is None else self._F[self._arms]
        U = dtrmm(1.0, self._inverse.T, (rows * self._correlations()[:, None]).T, side=1, overwrite_b=1)
        if self._F is None:
            explained = np.einsum("gn,gn->g", U, U)
        else:
            explained = quadratic_forms(dsyrk(1.0, U, lower=1), self._F)
        return self._mean(), np.maximum(self._own - explained, 0.0)


@lru_cache(maxsize=4)
def _first_columns(prior: Prior, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """The first columns of F in single precision and units, (G, r), and the variance of the others, (G,);
    rank: number of its columns."""
    factor = prior.factor(rank)
    assert factor is not None
    rest, r = prior.diagonal, 0
    while r < rank and (r % 8 or rest.max() > _REST * prior.diagonal.max()):
        rest, r = rest - factor[:, r] ** 2, r + 1
    return _single(factor[:, :r] / prior.unit), np.maximum(rest, 0.0)


def _single(array: np.ndarray) -> np.ndarray:
    """In single precision, without numbers whose products would be denormal."""
    single = array.astype(np.float32, order="C")
    single *= np.abs(single) > _NEGLIGIBLE_SINGLE
    return single


def quadratic_forms(C: np.ndarray, F: np.ndarray) -> np.ndarray:
    """diag(F C F'), (G,), for F (G, r) and a symmetric C (r, r), of which the lower triangle is read; C is
    overwritten.

    Twice that of F T F', with T the triangle and its diagonal halved: half of the work.
    """
    C.flat[:: len(C) + 1] *= 0.5
    if C.dtype == np.float32:
        products = strmm(2.0, C, F.T, lower=1, trans_a=1)
    else:
        products = dtrmm(2.0, C, F.T, lower=1, trans_a=1)
    return np.einsum("gr,gr->g", products.T, F)


def memory(time_kernel: Kernel) -> float:
    """Rounds after which data are dropped, to a quarter of a length-scale; infinite unless k_T decays."""
    if isinstance(time_kernel, Product):
        return min(memory(time_kernel.left), memory(time_kernel.right))
    if not isinstance(time_kernel, Radial):
        return math.inf
    lags = float(np.max(time_kernel.length_scale)) * np.arange(0.0, 64.0, 0.25)
    return float(lags[(between(time_kernel, 0.0, lags)[0] < _DROPPED * time_kernel.variance).argmax()])
