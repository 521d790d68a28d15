"""R-PERP (Iwazaki & Takeno, AISTATS 2025, arXiv 2410.16052): restarting phased elimination in random order.

Every H rounds all arms survive again and N_0 = 1. Batch i of a block has

    N_i = min(ceil(sqrt(H N_{i-1})), rounds left in the block)

survivors, chosen one after another where the posterior variance given those before is largest. They are
played in uniformly random order, and from their observations alone

    survivors <- {x survives: mu(x) + w sigma(x) >= max over survivors of mu - w sigma}.

The random order turns the change of f within a batch into noise of bounded mean zero. Recommended
H = ceil(gamma_H^(1/3) (T/V_T)^(2/3)), V_T = sum_t sup |f_{t+1} - f_t|: the sup norm, not the RKHS norm of
R-GP-UCB's budget. Regret matches the lower bound up to logarithms.

Restarts, random order and H follow the paper's abstract and its discussion elsewhere, the batches the code
of batched pure exploration (BPE, lizihan97/BPE); the paper itself was not read. With a width as in theory no
arm is eliminated within hundreds of rounds, which is uniform play; the constant width is our choice.

Family: a test for change decides.
Use it when a guarantee that needs no upper-confidence width is wanted and changes are few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp import acquisition, posterior
from tvgp.policies.base.policy import BasePolicy, prior_means, require
from tvgp.posterior import Prior, SequentialEngine
from tvgp.theory.schedules import permuted_block_length


@dataclass(frozen=True)
class Parameters:
    """confidence: w, in standard deviations.

    block_length: H in rounds, at most the horizon, None for the recommended one; variation_budget: V_T in
    the sup norm, None for 1; horizon: T; prior_mean: in reward units, one number or one per arm; engine: auto
    or the name of a posterior engine.
    """

    OURS: ClassVar[tuple[str, ...]] = ("confidence",)

    confidence: float = 2.0
    block_length: int | None = None
    variation_budget: float | None = None
    horizon: int = 1000
    prior_mean: float | tuple[float, ...] = 0.0
    engine: str = "auto"

    def __post_init__(self) -> None:
        require(0 <= self.confidence < math.inf, "confidence", self.confidence, "0 or more")
        good = self.block_length is None or self.block_length >= 1
        require(good, "block_length", self.block_length, "1 or more")
        require(self.horizon >= 1, "horizon", self.horizon, "1 or more")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> RPERP:
    """R-PERP on two sequential engines, one of which plans batches."""
    p = parameters
    length = p.block_length or permuted_block_length(prior, noise_variance, p.horizon, p.variation_budget)
    length = min(length, p.horizon)
    engine, planner = (
        posterior.make(prior, noise_variance, horizon=length, engine=p.engine) for _ in range(2)
    )
    return RPERP(engine, planner, p, length)


class RPERP(BasePolicy):
    """Plays batches of the arms that survive.

    The posterior is that of the batch in play, between two batches that of the one before.
    """

    def __init__(
        self,
        engine: SequentialEngine,
        planner: SequentialEngine,
        parameters: Parameters,
        block_length: int,
    ) -> None:
        super().__init__(engine.prior, parameters)
        self._engine, self._planner = engine, planner
        self._parameters = parameters
        self._prior_mean = prior_means(parameters.prior_mean, self._n_arms)
        self.block_length = block_length
        self._restart()

    @property
    def engine(self) -> str:
        """Name of the posterior engine in use, recorded in the results."""
        return self._engine.name

    def _restart(self) -> None:
        self._engine.reset()
        self.survivors = np.ones(self._n_arms, dtype=bool)
        self._size = 1  # of the batch before
        self._plan: list[int] = []  # arms of the batch that are left, in their order of play
        self._playing = False

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        if not self._plan:
            self._begin(t, rng)
        for arm in self._plan:
            if available is None or available[arm]:
                return arm
        assert available is not None  # or the plan would have an arm
        left = available & self.survivors
        return acquisition.best_arm(self._planner.variance, left if left.any() else available, self._unit**2)

    def _begin(self, t: int, rng: np.random.Generator) -> None:
        """Plan the batch that starts in round t."""
        left = self.block_length - (t - 1) % self.block_length
        self._size = min(math.ceil(math.sqrt(self.block_length * self._size)), left)
        self._planner.reset()
        arms = []
        for _ in range(self._size):
            arms.append(acquisition.best_arm(self._planner.variance, self.survivors, self._unit**2))
            self._planner.observe(arms[-1], 0.0)
        self._plan = rng.permutation(arms).tolist()

    def _observe(self, t: int, arm: int, reward: float, noise_variance: float | None) -> None:
        if self._plan and not self._playing:
            self._engine.reset()
            self._playing = True
        if self._plan:
            self._plan.remove(arm if arm in self._plan else self._plan[-1])
        mean = self._prior_mean[arm] if self._prior_mean.ndim else self._prior_mean
        self._engine.observe(arm, float(reward - mean), noise_variance)

    def _close(self, t: int) -> None:
        if t % self.block_length == 0:  # round t+1 opens a block
            self._restart()
        elif self._playing and not self._plan:
            self._eliminate()
            self._playing = False

    def _eliminate(self) -> None:
        mean = self._engine.mean + self._prior_mean
        reach = self._parameters.confidence * np.sqrt(self._engine.variance)
        best = (mean - reach)[self.survivors].max()
        self.survivors &= mean + reach >= best

    def _age(self, now: int) -> None:
        # a block has ended since
        if now // self.block_length != self._over // self.block_length:
            self._restart()

    def _posterior(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        return self._engine.mean + self._prior_mean, np.sqrt(self._engine.variance)
