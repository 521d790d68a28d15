"""BOB-GP-UCB: SW-GP-UCB whose window is learnt by EXP3 over blocks ("bandit over bandit").

After Cheung, Simchi-Levi & Zhu (AISTATS 2019), whose bandits are linear; listed for GP-UCB by Hong, Li &
Tewari 2023. With H = floor(2 sqrt(T)) rounds per block, n windows J_j and weights s_j = 1 at first,
each block

    draws j with probability p_j = (1 - g) s_j/sum s + g/n,  g = min(1, sqrt(n log n/((e - 1) ceil(T/H)))),
    plays SW-GP-UCB with window J_j, without data of earlier blocks,
    s_j <- s_j exp(g/(n p_j) (1/2 + sum_block y/(2H + 4R sqrt(H log(T/sqrt(H)))))).

Windows: the distinct floor(H^(i/D)), i = 0, ..., D = ceil(log H). The constants are quoted from memory.
Rewards must be at most about 1 in size: ours are y - m(x) over `reward_bound`, clipped to [-1, 1], with R
the noise's standard deviation on that scale. With fewer than about 5 n log n blocks the weights hardly
differ: at T = 500 there are 12 blocks. A block with data before its first choice keeps the window in use,
and its rewards change no weight.

Family: old observations are dropped at set times.
Use it when the rate of change is unknown and varies, and blocks of many rounds can be spent on learning a
window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tvgp import posterior
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import NO_ARMS, require
from tvgp.policies.base.ucb import UpperConfidenceParameters
from tvgp.policies.sw_gp_ucb import SWGPUCB
from tvgp.posterior import BatchEngine, Prior


@dataclass(frozen=True)
class Parameters(UpperConfidenceParameters):
    """block_length: H, None for the rule above; windows: J_j, None likewise; reward_bound: in reward units,
    None for twice the largest prior standard deviation."""

    block_length: int | None = None
    windows: tuple[int, ...] | None = None
    reward_bound: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        good = self.block_length is None or self.block_length >= 1
        require(good, "block_length", self.block_length, "1 or more")
        good = self.windows is None or len(self.windows) > 0 and min(self.windows) >= 1
        require(good, "windows", self.windows, "one or more windows, each of 1 round or more")
        good = self.reward_bound is None or 0 < self.reward_bound < math.inf
        require(good, "reward_bound", self.reward_bound, "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> BOBGPUCB:
    """BOB-GP-UCB on a batch engine."""
    return BOBGPUCB(posterior.make_batch(prior, engine=parameters.engine), parameters, noise_variance)


def window_grid(block_length: int) -> list[int]:
    """The distinct floor(H^(i/D)), increasing."""
    steps = max(1, math.ceil(math.log(block_length)))
    # a power that should be whole may come out below it
    return sorted({int(block_length ** (i / steps) + 1e-9) for i in range(steps + 1)})


class BOBGPUCB(SWGPUCB):
    """Keeps the observations of the last rounds of the block, as many as the window drawn for it."""

    def __init__(self, engine: BatchEngine, parameters: Parameters, noise_variance: float) -> None:
        p = parameters
        self.block_length = p.block_length or math.floor(2.0 * math.sqrt(p.horizon))
        self.windows = list(p.windows or window_grid(self.block_length))
        super().__init__(engine, p, noise_variance, self.windows[-1])
        self._bound = p.reward_bound or 2.0 * math.sqrt(float(engine.prior.diagonal.max()))
        n, blocks = len(self.windows), math.ceil(p.horizon / self.block_length)
        self._mixed = min(1.0, math.sqrt(n * math.log(n) / ((math.e - 1.0) * blocks)))
        H = self.block_length
        spread = math.sqrt(noise_variance) / self._bound
        logarithm = max(math.log(p.horizon / math.sqrt(H)), 0.0)
        self._most = 2.0 * H + 4.0 * spread * math.sqrt(H * logarithm)
        self._log_weights = np.zeros(n)
        self._drawn: int | None = None
        self._gain = 0.0

    @property
    def probabilities(self) -> np.ndarray:
        """p_j of the next block, (n,)."""
        weights = np.exp(self._log_weights - self._log_weights.max())
        return (1.0 - self._mixed) * weights / weights.sum() + self._mixed / len(weights)

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        if self._drawn is None and not self._history.n:
            self._drawn = int(rng.choice(len(self.windows), p=self.probabilities))
            self.window = self.windows[self._drawn]
        return super()._choose(t, rng, available)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        super()._learn(t, arm, value, noise_variance)
        self._gain += min(max(value / self._bound, -1.0), 1.0)

    def _close(self, t: int) -> None:
        if t % self.block_length == 0:  # round t+1 opens a block
            self._end_block()
        else:
            super()._age(t)

    def _age(self, now: int) -> None:
        if now // self.block_length != self._over // self.block_length:
            self._end_block()
        super()._age(now)

    def _end_block(self) -> None:
        if self._drawn is not None:
            share = min(max(0.5 + self._gain / self._most, 0.0), 1.0)
            scale = self._mixed / (len(self.windows) * self.probabilities[self._drawn])
            self._log_weights[self._drawn] += scale * share
        self._drawn, self._gain = None, 0.0
        self._history = History()
        self._engine.condition(NO_ARMS, np.empty(0), np.empty(0))
