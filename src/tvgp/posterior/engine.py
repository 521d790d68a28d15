"""The protocols of posterior engines, and the base of those that keep all arms up to date."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tvgp import acquisition
from tvgp.contracts import summary
from tvgp.posterior.prior import Prior

# The inverse of a smaller precision overflows, or nearly: such data weigh nothing.
LEAST_PRECISION = 1e-290


class Engine(Protocol):
    """The posterior over all arms of a prior, given the data so far."""

    name: str
    prior: Prior
    n: int  # observations in use
    log_det: float  # log det(I + Sigma^-1/2 K Sigma^-1/2)

    @property
    def mean(self) -> np.ndarray:
        """Posterior mean, (n_arms,)."""

    @property
    def variance(self) -> np.ndarray:
        """Posterior variance of f, (n_arms,)."""

    def best_arm(
        self, width: float, prior_mean: np.ndarray | None = None, available: np.ndarray | None = None
    ) -> int:
        """The arm with the largest m(x) + mean + width sigma, ties to the lowest index.

        prior_mean: m, (n_arms,), None for 0; available: mask (n_arms,) of the arms to choose from.
        ValueError if no arm is available.
        """

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""


class SequentialEngine(Engine, Protocol):
    """For constant noise: observations come one at a time."""

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise, seen now; noise_variance: None for the engine's."""

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass, for the time kernel of TV-GP-UCB."""

    def reset(self) -> None:
        """Forget all data."""


class BatchEngine(Engine, Protocol):
    """For any noise: all data are replaced at once."""

    def reset(self) -> None:
        """Forget all data."""

    def condition(self, arms: np.ndarray, values: np.ndarray, noise_variances: np.ndarray) -> None:
        """Replace the data by values (n,) of arms (n,) with noise variances (n,)."""

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """The same from sums per arm: p = sum 1/v_i and s = sum y_i/v_i, (n_arms,), 0 without data."""

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """Error of the mean under other noise than assumed; see `Merged.mismatch_sums`."""


class Scored:
    """Base of the engines that choose an arm by its mean and variance."""

    def best_arm(
        self: Engine,
        width: float,
        prior_mean: np.ndarray | None = None,
        available: np.ndarray | None = None,
    ) -> int:
        """The arm with the largest m(x) + mean + width sigma, ties to the lowest index.

        See `Engine.best_arm`.
        """
        scores = np.sqrt(self.variance)
        scores *= width
        scores += self.mean
        if prior_mean is not None:
            scores += prior_mean
        return acquisition.best_arm(scores, available, self.prior.unit)


class Eager(Scored):
    """Base of the engines whose `mean` and `variance` are arrays, always up to date."""

    name: str
    n: int
    log_det: float
    mean: np.ndarray
    variance: np.ndarray

    def __init__(self, prior: Prior, **settings: float) -> None:
        """settings: other arguments of the engine, shown in its repr."""
        self.prior = prior
        self._settings = settings

    def __repr__(self) -> str:
        return summary(type(self).__name__, arms=self.prior.arms, kernel=self.prior.kernel, **self._settings)

    def reset(self) -> None:
        """Forget all data."""
        self.n = 0
        self.log_det = 0.0
        self.mean = np.zeros(self.prior.n_arms)
        self.variance = self.prior.diagonal.copy()
