"""GP-UCB that restarts when a generalised likelihood ratio (GLR) test finds a change.

test arms: after DAL (Gerogiannis, Huang & Veeravalli, arXiv 2501.19401), which adds to a learner for f that
does not change a test per covering arm and forced exploration of these arms. With k - 1 restarts so far
and N covering arms, all of them are played once every ceil(N/a) rounds, a = min(1, sqrt(k N log(T)/T)), and
an arm with n values since the restart, of noise variances v_i, has changed if

    max_s w_1 w_2/(2 (w_1 + w_2)) (m_1 - m_2)^2 >= log(4 n^(3/2)/delta),  delta = T^(-1/2),

w the sum of 1/v_i and m the mean with these weights over values 1..s and s+1..n; with equal variances the
factor is s (n - s)/(2 n v).

test residuals: no exploration; the squared residuals z_i = (y_i - mu(x_i))^2/(sigma^2(x_i) + sigma^2), each
before its own value is known, have become larger if, with m_1, m_2 and m the means before, after and overall,

    max_{s: m_2 > m_1} 1/2 (n log m - s log m_1 - (n - s) log m_2) >= log(4 n^(3/2)/delta).

After a change all data are forgotten. The exploration is that of the authors' code for finitely many arms,
where rewards are bounded and the learner is not a Gaussian process; so are the tests every 10 rounds and
the splits every 5 values, but there the arm just played is tested alone, in rounds 1, 11, ... at splits 1,
6, ..., here all covering arms in rounds 10, 20, ... at splits 5, 10, ... So a round costs O(n/50) with n
values since the restart, by definition. Our translation: the covering arms,
chosen greedily until the posterior standard deviation is below `cover` of the prior's everywhere; the
Gaussian form of the test; the test of residuals, which is for jumps only, as a lasting drift is one change
after another to it.

Family: a test for change decides.
Use it when changes are rare and sudden, and may leave the reward of the arm just played as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp import posterior
from tvgp.policies.base.policy import require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.gp_ucb import GPUCB
from tvgp.posterior import Prior, SequentialEngine

# Squared residuals below this count as this much, so that logarithms are finite.
_LEAST_MEAN = 1e-12


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """test: residuals, or arms for covering arms with forced exploration.

    test_every: least rounds between two tests, which follow observations; split_every: values between two
    splits s that a test looks at; delta_restart: delta of the test, None for T^(-1/2); cover: largest
    standard deviation left by the covering arms, relative to the prior's. The width is logarithmic by
    default.
    """

    OURS: ClassVar[tuple[str, ...]] = ("width",)

    width: float | str = "logarithmic"
    test: str = "residuals"
    test_every: int = 10
    split_every: int = 5
    delta_restart: float | None = None
    cover: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.test in ("residuals", "arms"), "test", self.test, "residuals or arms")
        for name in ("test_every", "split_every"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        good = self.delta_restart is None or 0 < self.delta_restart < 1
        require(good, "delta_restart", self.delta_restart, "between 0 and 1")
        require(0 < self.cover < 1, "cover", self.cover, "between 0 and 1")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> GLRGPUCB:
    """GP-UCB with a test for change, on a sequential engine."""
    p = parameters
    engine = posterior.make(prior, noise_variance, horizon=p.horizon, engine=p.engine)
    covering = covering_arms(prior, noise_variance, p.cover) if p.test == "arms" else []
    return GLRGPUCB(engine, p, noise_variance, covering)


def covering_arms(prior: Prior, noise_variance: float, cover: float) -> list[int]:
    """Arms of largest posterior variance, one after another, until all standard deviations are below
    `cover` of the prior's; at most one of each arm."""
    engine = posterior.make(prior, noise_variance, horizon=prior.n_arms)
    arms: list[int] = []
    share = engine.variance / prior.diagonal
    while share.max() > cover**2 and len(arms) < prior.n_arms:
        arms.append(int(share.argmax()))
        engine.observe(arms[-1], 0.0)
        share = engine.variance / prior.diagonal
        share[arms] = 0.0
    return arms


class GLRGPUCB(GPUCB):
    """Discards all data when a test finds a change."""

    _parameters: Parameters

    def __init__(
        self, engine: SequentialEngine, parameters: Parameters, noise_variance: float, covering: list[int]
    ) -> None:
        super().__init__(engine, parameters)
        self._noise = noise_variance
        self._delta = parameters.delta_restart or parameters.horizon**-0.5
        self.covering = covering
        self.events: list[int] = []  # rounds
        self._forget(0)

    def _forget(self, t: int) -> None:
        """Restart after round t."""
        self._tested = t
        self._rounds = 0  # with data, since then
        every = self._parameters.split_every
        self._residuals = Splits(every)
        self._series = {arm: Splits(every) for arm in self.covering}

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        forced = self._forced()
        if forced is not None and (available is None or available[forced]):
            return forced
        return super()._choose(t, rng, available)

    def _forced(self) -> int | None:
        """The covering arm whose turn it is; rounds without data, which may be skipped, take no turn."""
        n, horizon = len(self.covering), self._parameters.horizon
        if not n:
            return None
        rate = min(1.0, math.sqrt((len(self.events) + 1) * n * math.log(horizon) / horizon))
        turn = self._rounds % math.ceil(n / max(rate, 1e-9))
        return self.covering[turn] if turn < n else None

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        noise = noise_variance or self._noise
        if self._parameters.test == "residuals":
            spread = float(self._engine.variance[arm]) + noise
            self._residuals.append((value - float(self._engine.mean[arm])) ** 2 / spread)
        elif arm in self._series:
            self._series[arm].append(value, 1.0 / noise)
        self._engine.observe(arm, value, noise_variance)

    def _close(self, t: int) -> None:
        self._rounds += 1
        if t - self._tested < self._parameters.test_every:
            return
        self._tested = t
        if self._changed():
            self._engine.reset()
            self.events.append(t)
            self._forget(t)

    def _changed(self) -> bool:
        if self._parameters.test == "residuals":
            ratios = [(larger_later(self._residuals), self._residuals.n)]
        else:
            ratios = [(split_means(each), each.n) for each in self._series.values()]
        return any(ratio >= threshold(n, self._delta) for ratio, n in ratios)


def threshold(n: int, delta: float) -> float:
    """log(4 n^(3/2) / delta)."""
    return math.log(4.0 * max(n, 1) ** 1.5 / delta)


class Splits:
    """A series of values with weights, and its sums at every split s = every, 2 every, ... < n."""

    def __init__(self, every: int) -> None:
        self._every = every
        self.n = self._n_splits = 0
        self.weight = self.total = 0.0  # sums over all weights, and weights times values
        self._sums = np.zeros((2, 64))  # the same at each split

    def append(self, value: float, weight: float = 1.0) -> None:
        """Add a value."""
        if self.n and self.n % self._every == 0:
            if self._n_splits == self._sums.shape[1]:
                self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)], axis=1)
            self._sums[:, self._n_splits] = self.weight, self.total
            self._n_splits += 1
        self.n += 1
        self.weight += weight
        self.total += weight * value

    def halves(self) -> tuple[np.ndarray, ...]:
        """By split, (m,): sums of the weights before and after it, and the means of the values."""
        first, sums = self._sums[:, : self._n_splits]
        others = self.weight - first
        return first, others, sums / first, (self.total - sums) / others


def split_means(series: Splits) -> float:
    """max_s w_1 w_2/(2 (w_1 + w_2)) (m_1 - m_2)^2, weights being 1/v; -inf without a split."""
    first, others, before, after = series.halves()
    ratios = first * others / (2.0 * (first + others)) * (before - after) ** 2
    return float(np.max(ratios, initial=-np.inf))


def larger_later(series: Splits) -> float:
    """max_s 1/2 (n log m - s log m_1 - (n - s) log m_2) where m_2 > m_1; -inf without such a split."""
    s, others, before, after = series.halves()
    rising = after > before
    before, after = (np.log(np.maximum(m[rising], _LEAST_MEAN)) for m in (before, after))
    overall = math.log(max(series.total / max(series.n, 1), _LEAST_MEAN))
    ratios = 0.5 * (series.n * overall - s[rising] * before - others[rising] * after)
    return float(np.max(ratios, initial=-np.inf))
