"""Dense engine: the textbook formula on all observations, O(n^3 + n^2 G); the reference.

    mu(x) = k(x)' (K + Sigma)^-1 y,  sigma^2(x) = k(x, x) - k(x)' (K + Sigma)^-1 k(x)

(Mauduit25a eq. 11-12, Mauduit25b eq. 9-10; Rasmussen & Williams 2006, Algorithm 2.1.) Nothing is
merged, appended or scaled, so that it can check every other engine.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

from tvgp.kernels import forgetting_correlation
from tvgp.posterior.engine import LEAST_PRECISION, Eager
from tvgp.posterior.prior import Prior


class Dense(Eager):
    """Exact posterior over all arms, recomputed from scratch at every change of the data."""

    name = "dense"

    def __init__(self, prior: Prior, noise_variance: float | None = None, epsilon: float = 0.0) -> None:
        """noise_variance, epsilon: for `observe`; not needed if all data come through `condition`."""
        constant = {} if noise_variance is None else {"noise_variance": noise_variance, "epsilon": epsilon}
        super().__init__(prior, **constant)
        self._noise = noise_variance
        self._epsilon = epsilon
        self.reset()

    def reset(self) -> None:
        """Forget all data."""
        super().reset()
        self._V = np.empty((0, self.prior.n_arms))
        self._arms: list[int] = []
        self._values: list[float] = []
        self._times: list[int] = []
        self._noises: list[float | None] = []
        self._now = 0

    def observe(self, arm: int, value: float, noise_variance: float | None = None) -> None:
        """Condition on y = f(arm) + noise, seen now; noise_variance: None for the engine's."""
        self._noises.append(self._noise if noise_variance is None else noise_variance)
        self._arms.append(arm)
        self._values.append(value)
        self._times.append(self._now)
        self._recompute()

    def advance(self, rounds: int = 1) -> None:
        """Rounds pass: in each of them correlations with old data fall by sqrt(1 - eps)."""
        self._now += rounds
        if self._epsilon and self._arms:
            self._recompute()

    def _recompute(self) -> None:
        times = np.asarray(self._times, dtype=float)
        self.condition(
            np.asarray(self._arms),
            np.asarray(self._values),
            np.asarray(self._noises, dtype=float),
            correlation=forgetting_correlation(times[:, None] - times, self._epsilon),
            decay=forgetting_correlation(self._now - times, self._epsilon),
        )

    def condition(
        self,
        arms: np.ndarray,
        values: np.ndarray,
        noise_variances: np.ndarray,
        correlation: np.ndarray | float = 1.0,
        decay: np.ndarray | float = 1.0,
    ) -> None:
        """Replace the data by values (n,) of arms (n,) with noise variances (n,).

        `correlation` (n, n) multiplies K and `decay` (n,) multiplies k(x), for the time kernel.
        ValueError if K + Sigma cannot be factorised: the noise is too small for these arms.
        """
        arms = np.asarray(arms)
        if not len(arms):
            self.reset()
            return
        rows = self.prior.rows(arms)
        covariance = rows[:, arms] * correlation + np.diag(noise_variances)
        try:
            lower, _ = cho_factor(covariance, lower=True)
        except LinAlgError as error:
            raise ValueError(
                f"dense engine: K + Sigma of {len(arms)} observations is not positive definite"
                " in float64; raise the noise variance or merge repeated arms"
            ) from error
        V = solve_triangular(lower, rows * np.reshape(decay, (-1, 1)), lower=True)
        z = solve_triangular(lower, values, lower=True)
        self.mean = V.T @ z
        self.variance = np.maximum(self.prior.diagonal - np.einsum("ng,ng->g", V, V), 0.0)
        diagonal = np.log(np.diagonal(lower))
        self.log_det = float(2.0 * diagonal.sum() - np.log(noise_variances).sum())
        self.n = len(arms)
        self._V = V
        self._rows, self._lower = rows, lower
        self._conditioned, self._assumed = arms, np.asarray(noise_variances)

    def covariance(self, arms: np.ndarray) -> np.ndarray:
        """Posterior covariances of arms (m,) with all arms, (m, n_arms)."""
        return self.prior.rows(arms) - self._V[:, arms].T @ self._V

    def condition_sums(self, precision: np.ndarray, weighted_sum: np.ndarray) -> None:
        """As `Merged.condition_sums`: one observation s/p with variance 1/p for arms with p > 0."""
        seen = (precision >= LEAST_PRECISION).nonzero()[0]
        self.condition(seen, weighted_sum[seen] / precision[seen], 1.0 / precision[seen])

    def mismatch(self, true_noise_variances: np.ndarray) -> tuple[np.ndarray, float]:
        """Error of the posterior mean if the data (n,) have true noise variances v.

        The first is E (mu(x) - f(x))^2 = k(x, x) - 2 a'k + a'K a + sum a_i^2 v_i, (G,), with
        a = (K + Sigma)^-1 k(x); the second log det(I + Q^1/2 K Q^1/2), Q = diag(v / Sigma^2).
        """
        if self.n == 0:
            return self.variance.copy(), 0.0
        a = cho_solve((self._lower, True), self._rows)
        K = self._rows[:, self._conditioned]
        error = self.prior.diagonal - 2.0 * np.einsum("ng,ng->g", a, self._rows)
        error += np.einsum("ng,ng->g", a, K @ a) + true_noise_variances @ (a * a)
        root = np.sqrt(true_noise_variances) / self._assumed
        scaled = root[:, None] * K * root
        log_det = np.linalg.slogdet(np.eye(self.n) + scaled)[1]
        return np.maximum(error, 0.0), float(log_det)

    def mismatch_sums(self, spread: np.ndarray) -> tuple[np.ndarray, float]:
        """As `Merged.mismatch_sums`, after `condition_sums`."""
        if self.n == 0:
            return self.mismatch(np.empty(0))
        return self.mismatch(spread[self._conditioned] * self._assumed * self._assumed)
