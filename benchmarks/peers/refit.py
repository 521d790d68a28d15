"""Base of posteriors that are recomputed at every change of the data."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor

from tvgp.kernels import Kernel, forgetting_correlation
from tvgp.posterior import Prior
from tvgp.posterior.engine import Eager


class Refit(Eager):
    """Keeps the data and calls `_fit(arms, values, variances, ages)`, which sets `mean`,
    `variance` and `log_det`. Both interfaces of tvgp's engines: sequential and batch."""

    name = "refit"

    def __init__(self, arms: np.ndarray, kernel: Kernel, noise_variance: float, epsilon: float = 0.0) -> None:
        super().__init__(Prior(arms, kernel), noise_variance=noise_variance, epsilon=epsilon)
        self._X = arms
        self._kernel = kernel
        self._noise = noise_variance
        self._epsilon = epsilon
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._arms: list[int] = []
        self._values: list[float] = []
        self._times: list[int] = []
        self._now = 0

    def observe(self, arm: int, value: float, noise_variance: None = None) -> None:
        """Condition on one more observation of the usual noise; with a time kernel, `advance` does."""
        self._arms.append(arm)
        self._values.append(value)
        self._times.append(self._now)
        if not self._epsilon:
            self._refit()

    def advance(self) -> None:
        """One round passes."""
        self._now += 1
        if self._epsilon:
            self._refit()

    def condition(self, arms: np.ndarray, values: np.ndarray, variances: np.ndarray) -> None:
        """Replace the data; noise variances (n,)."""
        self._solve(arms, values, variances, np.zeros(len(arms)))

    def _refit(self) -> None:
        ages = self._now - np.array(self._times, dtype=float)
        variances = np.full(len(ages), self._noise)
        self._solve(np.array(self._arms), np.array(self._values), variances, ages)

    def _solve(self, arms: np.ndarray, values: np.ndarray, variances: np.ndarray, ages: np.ndarray) -> None:
        if not len(arms):
            self.reset()
            return
        self.n = len(arms)
        self._variances = variances
        self._fit(arms, values, variances, ages)

    def _time_kernel(self, lags: np.ndarray) -> np.ndarray:
        return forgetting_correlation(lags, self._epsilon)

    def _fit(self, arms: np.ndarray, values: np.ndarray, variances: np.ndarray, ages: np.ndarray) -> None:
        raise NotImplementedError

    def _worth(
        self, a: np.ndarray, cross: np.ndarray, gram: np.ndarray, truth: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """Quantities for W-GP-UCB, with weights a (n, G) of the mean and true variances v (n,):
        k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i and log det(I + Q^1/2 K Q^1/2), Q_i = v_i / w_i^2.
        """
        error = self._kernel.variance - 2.0 * np.einsum("ng,ng->g", a, cross)
        error += np.einsum("ng,ng->g", a, gram @ a) + truth @ (a * a)
        q = truth / self._variances**2
        shifted = gram.copy()
        shifted.flat[:: len(q) + 1] += 1.0 / q
        lower, _ = cho_factor(shifted.T, lower=True, overwrite_a=True, check_finite=False)
        log_det = 2.0 * np.log(lower.diagonal()).sum() + np.log(q).sum()
        return np.maximum(error, 0.0), float(log_det)
