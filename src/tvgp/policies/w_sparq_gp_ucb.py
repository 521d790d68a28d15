"""W-SparQ-GP-UCB (Mauduit25b, section 3.3, Algorithm 2): expert answers reused over a window.

Windows start at t_j of eq. (32), or at the first round after t_j that is played or queried. At t_j the
policy asks the expert about Q_{t_j} of the distinct past inputs, and the answers replace all data; y_{t_j}
itself is not added (nor is it where the queries come before the choice of x_{t_j}). Later rounds of the
window append own observations. At time t an observation made at s in the window has variance sigma^2 (1 +
(t - s)^alpha), the expert's with s = t_j.

The width is that of GP-UCB, B + sqrt(2 log(2/delta) + log det(I + Sigma^-1/2 K Sigma^-1/2)) for the data
of the window: `theory.widths.information_width`, called by `_formula` in `policies/base/ucb.py`. To change
it for this algorithm alone, override `_formula` here; the parameter `width` may be a number instead.

Family: an expert answers questions.
Use it when as for SparQ-GP-UCB, with an expert who can be asked from time to time only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.aged_data import AgedData, lag_power
from tvgp.policies.base.expert import ExpertParameters, ExpertPolicy
from tvgp.policies.base.policy import NO_ARMS, require
from tvgp.posterior import Prior
from tvgp.theory.schedules import check_alpha_tilde, next_window_start, query_size


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """alpha: drift exponent; alpha_tilde: window exponent; noise: virtual (grows with lag) or
    constant; keep_own: whether y at a window start is kept."""

    alpha: float = 1.0
    alpha_tilde: float = 0.25
    noise: str = "virtual"
    keep_own: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        check_alpha_tilde(self.alpha_tilde)
        require(self.noise in ("virtual", "constant"), "noise", self.noise, "virtual or constant")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> WSparQGPUCB:
    """W-SparQ-GP-UCB on a batch engine, as all noise variances change each round."""
    return WSparQGPUCB(prior, noise_variance, parameters)


class WSparQGPUCB(ExpertPolicy):
    """Uses the current window's expert answers and own observations, with variances that grow with age."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        self._start = 0
        self._next_start = 1
        # number of answers per arm, and their sums
        self._numbers: np.ndarray = np.zeros(self._n_arms)
        self._totals: np.ndarray = np.zeros(self._n_arms)
        self._own = self._no_data()

    def _no_data(self) -> AgedData:
        horizon = self._parameters.horizon
        longest = self._window_after(horizon) - horizon
        return AgedData(self._variance, self._n_arms, longest=longest, planned=64)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._subset.add(arm)
        self._start_window(t)
        if self._parameters.keep_own or t != self._start:
            self._own.append(t, arm, value, noise_variance)

    def _start_window(self, t: int) -> None:
        """Forget all data if a window starts in round t."""
        if t >= self._next_start:
            self._start = t
            self._next_start = self._window_after(t)
            self._numbers = self._totals = np.zeros(self._n_arms)
            self._own.restart()
            self._engine.reset()

    def _prepare(self, t: int) -> None:
        self._start_window(t)
        self._age(t)

    def _close(self, t: int) -> None:
        if t != self._start or self._parameters.keep_own:
            self._age(t)

    def _window_after(self, t: int) -> int:
        """Start of the window after the one that starts at t."""
        p = self._parameters
        return next_window_start(t, p.alpha, p.alpha_tilde)

    def _queries_at(self, t: int) -> int:
        """Q_t, the largest number of arms in a query at a window start."""
        return query_size(t, self._parameters.query_scale)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """At a window start, at most Q_t distinct inputs that are available; else none."""
        if t != self._start:
            return NO_ARMS
        return self._subset.draw(self._queries_at(t), rng, available)

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._numbers = np.bincount(arms, minlength=self._n_arms).astype(float)
        self._totals = np.bincount(arms, values, self._n_arms)
        self._age(t)

    def _age(self, now: int) -> None:
        variance = self._expert_noise + self._noise * self._injected(np.array(now - self._start, dtype=float))
        precision, weighted_sum = self._own.sums(now)
        precision += self._numbers / variance
        weighted_sum += self._totals / variance
        self._engine.condition_sums(precision, weighted_sum)

    def _variance(self, lags: np.ndarray) -> np.ndarray:
        """Noise variance of own observations at each lag."""
        return self._noise * (1.0 + self._injected(lags))

    def _injected(self, lags: np.ndarray) -> np.ndarray:
        """Injected variance at each lag, as a multiple of sigma^2."""
        p = self._parameters
        return 0.0 * lags if p.noise == "constant" else lag_power(lags, p.alpha)
