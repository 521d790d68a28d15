"""Lazy engine: exact maxima of upper confidence bounds over many arms, most of them not updated.

Appending one row to V = L^-1 K(X, arms) (see `append`) reads all of V, t G numbers, every round.
Here rounds form blocks. Within a block only the arms that may hold the maximum are updated; at its
end matrix-matrix products update all arms at once and read V once per block, not once per round.

An arm that was last updated at the start s of the block has, with z_i and v_i(x) the
entries of L^-1 y and V that came since, mu_t = mu_s + sum z_i v_i and
sigma_t^2 = sigma_s^2 - sum v_i^2. By the Cauchy-Schwarz inequality, twice,

    mu_t(x) + w sigma_t(x) <= mu_s(x) + sqrt(w^2 + sum z_i^2) sigma_s(x),

so that an arm whose right-hand side is below the maximum of the others is skipped. A prior mean
adds the same number to both sides; unavailable arms are left out.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm

from tvgp.acquisition import TIE, best_arm
from tvgp.contracts import summary
from tvgp.posterior.prior import Prior

# Rounds per block, arms kept up to date within it (initially and at most), and arms per chunk of the
# update at its end.
_BLOCK = 128
_START = 256
_LIMIT = 512
_CHUNK = 2048


class Lazy:
    """Exact posterior over all arms, updated on access."""

    name = "lazy"

    def __init__(self, prior: Prior, noise_variance: float, *, capacity: int = 1024) -> None:
        """capacity: initial number of observations; it grows on demand."""
        self.prior = prior
        self._noise = noise_variance
        self._limit = min(_LIMIT, prior.n_arms)
        # the system allocates pages of zeros on first write only
        self._V = np.zeros((prior.n_arms, capacity))
        # for the arms kept up to date ("followed"): rows of V', the block's v_i, mean and variance
        self._own = np.zeros((self._limit, capacity))
        self._v = np.zeros((_BLOCK, self._limit))
        self._near_mean = np.zeros(self._limit)
        self._near_variance = np.zeros(self._limit)
        self.reset()

    def __repr__(self) -> str:
        arms, kernel = self.prior.arms, self.prior.kernel
        return summary(type(self).__name__, arms=arms, kernel=kernel, noise_variance=self._noise)

    def reset(self) -> None:
        """Forget all data."""
        self.n = 0
        self.log_det = 0.0
        self._mean = np.zeros(self.prior.n_arms)
        self._variance = self.prior.diagonal.copy()
        self._open_block()

    def _open_block(self) -> None:
        """Start a block: all arms include all `n` observations, and no arm is followed."""
        self._start = self.n
        self._std = np.sqrt(self._variance)
        self._arms = np.empty(0, dtype=np.intp)  # arms of the block's observations
        self._z = np.empty(0)
        self._lower = np.empty((0, 0))  # L of the block: v_j(g_i), and the pivots' roots
        self._followed = np.empty(0, dtype=np.intp)
        self._is_followed = np.zeros(self.prior.n_arms, dtype=bool)

    @property
    def mean(self) -> np.ndarray:
        """Posterior mean over all arms."""
        self._close_block()
        return self._mean

    @property
    def variance(self) -> np.ndarray:
        """Posterior variance over all arms."""
        self._close_block()
        return self._variance

    def best_arm(
        self, width: float, prior_mean: np.ndarray | None = None, available: np.ndarray | None = None
    ) -> int:
        """The arm with the largest m(x) + mean + width sigma, ties to the lowest index.

        See `Engine.best_arm`.
        """
        if not len(self._arms):
            scores = self._mean + width * self._std
            if prior_mean is not None:
                scores += prior_mean
            start = np.argpartition(scores, -min(_START, self._limit))[-min(_START, self._limit) :]
            arm = best_arm(scores, available, self.prior.unit)
            self._follow(np.union1d(start, arm))
            return arm
        count = len(self._followed)
        near = self._near_mean[:count] + width * np.sqrt(self._near_variance[:count])
        bounds = self._mean + np.sqrt(width**2 + self._z @ self._z) * self._std
        if prior_mean is not None:
            near += prior_mean[self._followed]
            bounds += prior_mean
        bounds[self._followed] = -np.inf
        if available is not None:
            near[~available[self._followed]] = -np.inf
            bounds[~available] = -np.inf
        tie = TIE * self.prior.unit
        # the slack is far above the rounding in the followed arms
        rivals = np.flatnonzero((bounds >= near.max() - 2.0 * tie) & (bounds > -np.inf))
        if len(rivals):
            if len(rivals) + count > self._limit:
                self._close_block()
            else:
                self._follow(rivals)
            return self.best_arm(width, prior_mean, available)
        if near.max() == -np.inf:
            raise ValueError("no arm is available in this round")
        tied = near >= near.max() - tie
        return int(self._followed[tied].min())

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise, seen now; noise_variance: None for the engine's."""
        noise = noise_variance or self._noise
        if not self._is_followed[arm]:
            if len(self._followed) == self._limit:
                self._close_block()
            self._follow(np.array([arm]))
        self._make_space()
        size, m = len(self._followed), len(self._arms)
        position = int(np.flatnonzero(self._followed == arm)[0])
        v = self._v[:, :size]
        row = self._rows(np.array([arm]), self._followed)[0]
        if self._start:
            row -= self._own[:size, : self._start] @ self._V[arm, : self._start]
        before = v[:m, position].copy()
        row -= before @ v[:m]
        pivot = self._near_variance[position] + noise
        row /= np.sqrt(pivot)
        z = (value - self._near_mean[position]) / np.sqrt(pivot)
        v[m] = row
        self._near_mean[:size] += z * row
        self._near_variance[:size] -= row * row
        np.maximum(self._near_variance[:size], 0.0, out=self._near_variance[:size])
        lower = np.zeros((m + 1, m + 1))
        lower[:m, :m] = self._lower
        lower[m, :m], lower[m, m] = before, np.sqrt(pivot)
        self._lower = lower
        self._arms = np.append(self._arms, arm)
        self._z = np.append(self._z, z)
        self.log_det += np.log(pivot / noise)
        self.n += 1
        if m + 1 == _BLOCK:
            self._close_block()

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass; this engine forgets nothing."""

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""
        self._close_block()
        V = self._V[:, : self.n]
        return self.prior.rows(arms) - V[arms] @ V.T

    def _follow(self, arms: np.ndarray) -> None:
        """Update arms and keep them up to date within the block."""
        arms = arms[~self._is_followed[arms]]
        old, size = len(self._followed), len(self._followed) + len(arms)
        self._own[old:size, : self._start] = self._V[arms, : self._start]
        m = len(self._arms)
        new = self._solve(arms, self._own[old:size, : self._start])
        self._v[:m, old:size] = new.T
        self._near_mean[old:size] = self._mean[arms] + new @ self._z
        self._near_variance[old:size] = _less(self._variance[arms], new)
        self._followed = np.concatenate([self._followed, arms])
        self._is_followed[arms] = True

    def _close_block(self) -> None:
        """Update all arms and start a new block."""
        if not len(self._arms):
            return
        for first in range(0, self.prior.n_arms, _CHUNK):
            chunk = np.arange(first, min(first + _CHUNK, self.prior.n_arms))
            here = slice(first, first + len(chunk))
            new = self._solve(chunk, self._V[here, : self._start])
            self._V[here, self._start : self.n] = new
            self._mean[here] += new @ self._z
            self._variance[here] = _less(self._variance[here], new)
        self._open_block()

    def _solve(self, arms: np.ndarray, done: np.ndarray) -> np.ndarray:
        """v_i(x) of the block's observations i at arms x, (len(arms), m), from V' up to its start.

        (k(x, g) - V(x)' V(g)) L^-T, g the block's observations.
        """
        if not len(self._arms):
            return np.empty((len(arms), 0))
        new = self._rows(self._arms, arms).T
        if self._start:
            new = new - done @ self._V[self._arms, : self._start].T
        return dtrsm(1.0, self._lower, new, side=1, lower=1, trans_a=1)

    def _rows(self, index: np.ndarray, arms: np.ndarray) -> np.ndarray:
        return self.prior.kernel(self.prior.arms[index], self.prior.arms[arms])

    def _make_space(self) -> None:
        capacity = self._V.shape[1]
        if self.n < capacity:
            return
        for name in ("_V", "_own"):
            old = getattr(self, name)
            new = np.zeros((len(old), 2 * capacity))
            new[:, :capacity] = old
            setattr(self, name, new)


def _less(variance: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.maximum(variance - np.einsum("gm,gm->g", rows, rows), 0.0)
