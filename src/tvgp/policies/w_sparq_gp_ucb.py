"""W-SparQ-GP-UCB (Mauduit25b, section 3.3, Algorithm 2): expert answers reused over a window.

Windows start at t_j of eq. (32). At t_j the expert is asked about Q_{t_j} of the distinct past
inputs, and the data set becomes its answers; y_{t_j} itself is not added. In the rounds after it,
own observations are appended. At time t an observation made at s in the window has variance
sigma^2 (1 + (t - s)^alpha), the expert's with s = t_j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.policies.base.aged_sums import LONG, AgedSums
from tvgp.policies.base.expert import SUBSETS, ExpertParameters, Subset
from tvgp.policies.base.history import AgedTable, History
from tvgp.policies.base.ucb import NO_ARMS, UpperConfidencePolicy, require
from tvgp.posterior import Prior
from tvgp.theory.schedules import next_window_start, query_size
from tvgp.theory.widths import information_width


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """alpha: drift exponent; alpha_tilde: window exponent; subset: dpp, greedy, swap or random;
    noise: virtual (grows with lag) or constant; keep_own: whether y at a window start is kept."""

    alpha: float = 1.0
    alpha_tilde: float = 0.25
    subset: str = "dpp"
    noise: str = "virtual"
    keep_own: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        require(0 < self.alpha_tilde < 1, "alpha_tilde", self.alpha_tilde, "between 0 and 1")
        require(self.subset in SUBSETS, "subset", self.subset, ", ".join(SUBSETS))
        require(self.noise in ("virtual", "constant"), "noise", self.noise, "virtual or constant")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> WSparQGPUCB:
    """W-SparQ-GP-UCB; all noise variances change each round, so that a batch engine is used."""
    return WSparQGPUCB(prior, parameters, noise_variance)


class WSparQGPUCB(UpperConfidencePolicy):
    """Acts on this window's expert answers and own observations, all ageing together."""

    def __init__(self, prior: Prior, parameters: Parameters, noise_variance: float) -> None:
        super().__init__(posterior.make_batch(prior, engine=parameters.engine), parameters.prior_mean)
        self._parameters = parameters
        self._noise = noise_variance
        self._expert_noise = parameters.expert_noise(noise_variance)
        self._subset = Subset(prior, parameters.subset)
        self._start = 0
        self._next_start = 1
        self._expert_arms, self._expert_values = NO_ARMS, np.empty(0)
        self._window = History()
        variance = lambda lags: noise_variance * (1.0 + self._injected(lags))  # noqa: E731
        self._aged = AgedTable(variance, np.inf, 64)
        self._sums: AgedSums | None = None  # of the window, where windows are long
        if self._window_after(parameters.horizon) - parameters.horizon > LONG:
            self._sums = AgedSums(lambda lags: 1.0 / variance(lags), prior.n_arms, columns=2)

    def _learn(self, t: int, arm: int, value: float) -> None:
        self._subset.add(arm)
        if t == self._next_start:
            self._start = t
            self._next_start = self._window_after(t)
            self._expert_arms, self._expert_values = NO_ARMS, np.empty(0)
            self._window = History()
            if self._sums is not None:
                self._sums.restart()
            if self._parameters.keep_own:
                self._keep(arm, value)
        else:
            self._keep(arm, value)
        self._condition(t)

    def _window_after(self, t: int) -> int:
        """Start of the window after the one that starts at t."""
        p = self._parameters
        return next_window_start(t, p.alpha, p.alpha_tilde)

    def _queries_at(self, t: int) -> int:
        """Q_t, the largest number of arms that the expert is asked about at a window start."""
        return query_size(t, self._parameters.query_scale)

    def _keep(self, arm: int, value: float) -> None:
        if self._sums is None:
            self._window.append(arm, value)
        else:
            self._sums.append(arm, 1.0, value)

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """At a window start, Q_t distinct past inputs that are available now; else none."""
        if t != self._start:
            return NO_ARMS
        return self._subset.draw(self._queries_at(t), rng, available)

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._expert_arms, self._expert_values = arms, values
        self._condition(t)

    def _condition(self, t: int) -> None:
        own, arms = self._window, self._expert_arms
        old = self._expert_noise + self._noise * self._injected(float(t - self._start))
        if self._sums is not None:
            precision, weighted_sum = self._sums.sums()
            precision[arms] += 1.0 / old
            weighted_sum[arms] += self._expert_values / old
            self._engine.condition_sums(precision, weighted_sum)
            return
        self._engine.condition(
            np.concatenate([arms, own.arms]),
            np.concatenate([self._expert_values, own.values]),
            np.concatenate([np.full(len(arms), old), self._aged.last(own.n)]),
        )

    def _injected(self, lag: float | np.ndarray) -> float | np.ndarray:
        if self._parameters.noise == "constant":
            return 0.0 * lag
        return lag**self._parameters.alpha

    def _width(self, t: int) -> float:
        p = self._parameters
        return information_width(p.norm_bound, p.delta, self._engine.log_det)
