"""Base of the peers: posteriors that are refitted at every change of the data."""

from __future__ import annotations

import numpy as np

from tvgp.kernels import Kernel, forgetting_correlation
from tvgp.posterior import Prior
from tvgp.posterior.dense import Dense


class Refit(Dense):
    """tvgp's reference engine, with `_fit(arms, values, variances, ages)` of a peer, which sets `mean`,
    `variance`, `log_det` and `_lower`, the Cholesky factor of K + Sigma."""

    def __init__(self, arms: np.ndarray, kernel: Kernel, noise_variance: float, epsilon: float = 0.0) -> None:
        super().__init__(Prior(arms, kernel), noise_variance, epsilon)

    def condition(self, arms, values, noise_variances, ages=0.0) -> None:
        """Replace the data; noise variances and ages (n,)."""
        if not len(arms):
            self.reset()
            return
        self.n, self._conditioned, self._assumed = len(arms), arms, noise_variances
        self._rows = self.prior.rows(arms)
        self._fit(arms, values, noise_variances, np.broadcast_to(ages, len(arms)))

    def _recompute(self) -> None:
        ages = self._now - np.array(self._times, dtype=float)
        if self._epsilon and not ages[-1]:  # once per round: `advance` follows
            return
        self.condition(np.array(self._arms), np.array(self._values), np.array(self._noises), ages)

    def _time_kernel(self, lags: np.ndarray) -> np.ndarray:
        return forgetting_correlation(lags, self._epsilon)

    def _fit(self, arms: np.ndarray, values: np.ndarray, variances: np.ndarray, ages: np.ndarray) -> None:
        raise NotImplementedError
