"""MASTER + GP-UCB (Wei & Luo, COLT 2021; with GP-UCB in Hong, Li & Tewari 2023, appendix E).

In blocks of 2^n rounds, n = 0, 1, ..., starting again at n = 0 after a detection. At its start a block
schedules fresh instances of GP-UCB: for m = n, ..., 0 one of order m on each stretch of 2^m rounds, with
probability rho(2^n)/rho(2^m). Of those that cover a round the one of least order plays and learns, the others
keep their state. With g_t the largest upper confidence bound of the instance that plays, U_t its minimum
over the block so far and R_t the rewards, a detection is

    1. at the end of an instance of order m:  mean of R over its stretch >= U_t + 9 rho^(2^m),
    2. after s rounds of the block:           mean of g - R over the block >= 3 rho^(s),

    rho^(t) = 6 (log2 T + 1) log(T/delta) rho(t),  rho(t) = b sqrt(gamma_T log(T/delta)/t),
    b = B + sqrt(2 (gamma_T + 1 + log(1/delta))).

rho may not increase with t, so that gamma_T stands where Hong et al. have gamma_{t-1}, whose rho increases
while the first arms are learnt. Rewards are meant to lie in [0, 1].

The thresholds exceed 1 by far at any horizon in use: nothing is detected before T of about 10^8
(Gerogiannis, Huang & Veeravalli, AISTATS 2025, theorem 4: 1.24 10^9). What is left is GP-UCB restarted at
random in blocks that double. `scale` multiplies rho^, 1 as published; `events` has the rounds of detections.

Family: a test for change decides.
Use it when a guarantee without a known rate of change matters more than regret at practical horizons.
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
from tvgp.theory.schedules import master_threshold, maximum_information_gain
from tvgp.theory.widths import improved_width


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """The width is improved, B + sqrt(2 (gamma + 1 + log(1/delta))) with the gain gamma of the instance's
    data, by default.

    scale: of the thresholds; first_order: n of the first block, and of that after a detection.
    """

    FORMULAS: ClassVar[tuple[str, ...]] = ("improved",)

    width: float | str = "improved"
    scale: float = 1.0
    first_order: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 < self.scale < math.inf, "scale", self.scale, "positive")
        require(0 <= self.first_order <= 30, "first_order", self.first_order, "0 to 30")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> MasterGPUCB:
    """MASTER + GP-UCB on one sequential engine per order."""
    return MasterGPUCB(prior, noise_variance, parameters)


class MasterGPUCB(GPUCB):
    """Schedules instances of GP-UCB, and restarts when the rewards contradict them."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        p = parameters
        self._noise = noise_variance
        gain = maximum_information_gain(prior, noise_variance, p.horizon)
        bound = float(improved_width(p.norm_bound, p.delta, 2.0 * gain, 1.0))
        self._rho_hat = p.scale * master_threshold(p.horizon, p.delta, gain, bound)  # at t = 1
        self._engines: dict[int, SequentialEngine] = {}  # by order
        self.events: list[int] = []  # rounds
        self._rewards: list[float] = []  # of this round
        self._ceiling: float | None = None  # g of this round
        super().__init__(self._fresh_engine(prior, p), p)
        self._engines[p.first_order] = self._engine
        self._begin(p.first_order)

    @property
    def scheduled(self) -> list[np.ndarray]:
        """By order m of 0 to n, whether each of the block's 2^(n-m) stretches has an instance; drawn with its
        first arm."""
        return self._scheduled

    def _fresh_engine(self, prior: Prior, p: Parameters) -> SequentialEngine:
        return posterior.make(prior, self._noise, horizon=p.horizon, engine=p.engine)

    def _begin(self, order: int) -> None:
        """A block of 2^order rounds, until its schedule is drawn with the instance of that order alone."""
        self._order = order
        self._scheduled = [np.zeros(1 << (order - m), dtype=bool) for m in range(order)] + [np.ones(1, bool)]
        self._drawn = False
        self._totals = [0.0]  # of the rewards, after each round of the block
        self._excess = 0.0  # sum of g - R
        self._least = math.inf  # U
        self._enter()

    def _enter(self) -> None:
        """Let the instance of least order that covers the coming round play."""
        done = len(self._totals) - 1
        active = next(m for m, starts in enumerate(self._scheduled) if starts[done >> m])
        for m in range(self._order + 1):
            if m in self._engines and done % (1 << m) == 0:
                self._engines[m].reset()  # its stretch is over
        if active not in self._engines:
            self._engines[active] = self._fresh_engine(self._engine.prior, self._parameters)
        self._engine = self._engines[active]

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        if not self._drawn and len(self._totals) == 1:
            for m in range(self._order):
                chance = 2.0 ** (0.5 * (m - self._order))  # rho(2^n) / rho(2^m)
                self._scheduled[m] = rng.random(len(self._scheduled[m])) < chance
            self._enter()
        self._drawn = True
        return super()._choose(t, rng, available)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        if self._ceiling is None:
            scores = self._engine.mean + self._width(max(t, 1)) * np.sqrt(self._engine.variance)
            self._ceiling = float((scores + self._prior_mean).max())
        self._rewards.append(value + float(self._mean_at(arm)))
        self._engine.observe(arm, value, noise_variance)

    def _close(self, t: int) -> None:
        assert self._ceiling is not None  # a round has an observation
        reward = float(np.mean(self._rewards))
        self._totals.append(self._totals[-1] + reward)
        self._excess += self._ceiling - reward
        self._least = min(self._least, self._ceiling)
        self._ceiling, self._rewards = None, []
        if self._detects():
            self.events.append(t)
            self._begin(self._parameters.first_order)
        elif len(self._totals) > 1 << self._order:
            self._begin(self._order + 1)
        else:
            self._enter()

    def _detects(self) -> bool:
        s = len(self._totals) - 1
        for m, starts in enumerate(self._scheduled):
            length = 1 << m
            if s % length == 0 and starts[(s - 1) >> m]:
                mean = (self._totals[s] - self._totals[s - length]) / length
                if mean >= self._least + 9.0 * self._rho_hat / math.sqrt(length):
                    return True
        return self._excess / s >= 3.0 * self._rho_hat / math.sqrt(s)

    def _formula(self) -> float:
        p = self._parameters
        return float(improved_width(p.norm_bound, p.delta, self._engine.log_det, 1.0))
