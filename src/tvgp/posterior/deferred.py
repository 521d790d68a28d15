"""Base of the engines that compute all arms' mean and variance on demand."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from tvgp.contracts import summary
from tvgp.kernels import Kernel
from tvgp.posterior.engine import Scored
from tvgp.posterior.prior import Prior


class Deferred(Scored):
    """Posterior of f_now under a kernel on space and time, with a clock from 0.

    Subclasses implement `_moments`, and forget them by `_changed` whenever data or time change.
    """

    name: str
    n: int
    log_det: float

    def __init__(self, prior: Prior, noise_variance: float, time_kernel: Kernel | tuple[Kernel, ...]) -> None:
        """time_kernel: that of k k_T, or one for each product of a sum, shown in the repr."""
        self.prior = prior
        self._shown = time_kernel
        self._noise = noise_variance
        self._now = 0
        self._kept: tuple[np.ndarray, np.ndarray] | None = None

    def __repr__(self) -> str:
        return summary(
            type(self).__name__,
            arms=self.prior.arms,
            kernel=self.prior.kernel,
            time_kernel=self._shown,
            noise_variance=self._noise,
        )

    @property
    def mean(self) -> np.ndarray:
        """Posterior mean of f_now, (n_arms,)."""
        return self._up_to_date()[0]

    @property
    def variance(self) -> np.ndarray:
        """Posterior variance of f_now, (n_arms,)."""
        return self._up_to_date()[1]

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass."""
        self._now += rounds
        self._changed()

    def _changed(self) -> None:
        self._kept = None

    def _up_to_date(self) -> tuple[np.ndarray, np.ndarray]:
        if self._kept is None:
            self._kept = self._moments()
        return self._kept

    @abstractmethod
    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of f_now over all arms."""


def between(time_kernel: Kernel, s: np.ndarray | float, t: np.ndarray | float) -> np.ndarray:
    """k_T(s_i, t_j), (n, m), for times (n,) and (m,), or single ones."""
    column, row = (np.reshape(np.asarray(each, dtype=float), (-1, 1)) for each in (s, t))
    return time_kernel(column, row)
