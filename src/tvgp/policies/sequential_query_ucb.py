"""GP-, SW- or TV-GP-UCB with as many evaluations per round as SparQ or W-SparQ, chosen one by one.

A control that the papers lack: whenever SparQ (every round) or W-SparQ (at its window starts) would ask
the expert, this policy asks about as many arms, each the argmax of mu + width sigma, among those not
asked in this round, given all answers so far, those of the same round included. All answers are kept as
observations, for as long as the model keeps its own. If it ties with SparQ, only the number of
evaluations matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import NO_ARMS, require
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.policies.gp_ucb import Parameters as StaticParameters
from tvgp.posterior import Prior, SequentialEngine
from tvgp.theory.schedules import check_alpha_tilde, next_window_start, query_size, recommended_window


@dataclass(frozen=True)
class Parameters(StaticParameters):
    """model: "gp", of all data, "sw", of those in a window, or "tv", with a time kernel; epsilon: rate of
    change per round in model "tv"; window: rounds kept in model "sw", None for the recommended number;
    schedule: sparq or w_sparq; query_scale: c in Q_t = min(t, ceil(c log t)); alpha, alpha_tilde: exponents
    of W-SparQ's windows; variation_budget: B_T of the recommended window, or None. Answers have the noise
    of observations."""

    model: str = "gp"
    schedule: str = "sparq"
    query_scale: float = 6.0
    alpha: float = 1.0
    alpha_tilde: float = 0.25
    epsilon: float = 0.03
    window: int | None = None
    variation_budget: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.model in ("gp", "sw", "tv"), "model", self.model, "gp, sw or tv")
        require(self.schedule in ("sparq", "w_sparq"), "schedule", self.schedule, "sparq or w_sparq")
        require(self.query_scale > 0, "query_scale", self.query_scale, "positive")
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        check_alpha_tilde(self.alpha_tilde)
        require(0 <= self.epsilon <= 1, "epsilon", self.epsilon, "between 0 and 1")
        require(self.window is None or self.window >= 1, "window", self.window, "1 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SequentialQueryUCB:
    """On a sequential engine for as many observations as the schedule allows."""
    p, window = parameters, None
    if p.model == "sw":
        window = p.window or recommended_window(prior, noise_variance, p.horizon, p.variation_budget)
    engine = posterior.make(
        prior,
        noise_variance,
        horizon=p.horizon * (1 + query_size(p.horizon, p.query_scale)),
        epsilon=p.epsilon if p.model == "tv" else 0.0,
        engine=p.engine,
    )
    return SequentialQueryUCB(engine, p, window)


class SequentialQueryUCB(UpperConfidencePolicy):
    """Asks about distinct arms, one at a time, in each round of the schedule."""

    _engine: SequentialEngine
    _parameters: Parameters

    def __init__(self, engine: SequentialEngine, parameters: Parameters, window: int | None) -> None:
        super().__init__(engine, parameters)
        self.queries_left = 0
        self._window = window
        self._kept = History()  # observations and answers, for the window
        self._time = 1  # the round of which the engine's posterior is
        self._next = 1  # the next round with queries
        self._free = np.ones(self._n_arms, dtype=bool)  # arms not asked in this round

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        self._bring(t)
        return super()._choose(t, rng, available)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._bring(t)
        self._add(t, arm, value, noise_variance)

    def _close(self, t: int) -> None:
        self._age(t)
        self._free[:] = True
        self.queries_left = 0
        if t >= self._next:
            p = self._parameters
            every = p.schedule == "sparq"
            self._next = t + 1 if every else next_window_start(t, p.alpha, p.alpha_tilde)
            self.queries_left = min(t, query_size(t, p.query_scale), self._n_arms)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """The arm with the largest upper confidence bound for f_t among those not asked yet."""
        if t > self._time or not self.queries_left:
            return NO_ARMS
        free = self._free if available is None else self._free & available
        if available is not None and not free.any():
            return NO_ARMS
        return np.array([self._best_arm(self._width(t), free)])

    def _observe_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        for arm, value in zip(arms.tolist(), (values - self._mean_at(arms)).tolist(), strict=True):
            self._add(t, arm, value, None)
        self._free[arms] = False
        self.queries_left = max(0, self.queries_left - len(arms))

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = self._predicted(t)
        return mean + self._prior_mean, np.sqrt(variance)

    def _confidence_band(self, t: int) -> tuple[np.ndarray, np.ndarray, float]:
        mean, variance = self._predicted(t)
        width = float(self._width(t))
        return mean + self._prior_mean, width * np.sqrt(variance), width

    def _predicted(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of f_t; the engine stays at its round, whose queries may go on."""
        e = self._engine
        if self._parameters.model != "tv":
            return e.mean, e.variance
        kept = (1.0 - self._parameters.epsilon) ** (t - self._time)
        return np.sqrt(kept) * e.mean, kept * e.variance + (1.0 - kept) * e.prior.diagonal

    def _bring(self, t: int) -> None:
        """Let the engine's posterior be that of round t; only TV-GP-UCB's changes by time alone."""
        if t > self._time:
            self._engine.advance(t - self._time)
            self._time = t

    def _add(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._engine.observe(arm, value, noise_variance)
        if self._window is not None:
            self._kept.append(t, arm, value, noise_variance or 0.0)  # 0: the usual one

    def _age(self, now: int) -> None:
        """Rebuild the posterior from the last `window` rounds, if it holds older data."""
        if self._window is None:
            return
        kept = self._kept.since(now - self._window + 1)
        if self._engine.n > self._kept.n - kept.start:
            self._engine.reset()
            columns = self._kept.arms[kept], self._kept.values[kept], self._kept.noise[kept]
            for arm, value, noise in zip(*(column.tolist() for column in columns), strict=True):
                self._engine.observe(arm, value, noise or None)
