"""SparQ-GP-UCB: drops old outputs and asks an expert about a sparse subset of old inputs.

After round t a k-DPP draws Q_t points X^E of the distinct past inputs {x_1..x_t}, and the expert
answers y^E = f_t(X^E) + N(0, sigma_E^2). Mauduit25a (App. A, Alg. 2 and 3) draws them by a chain of
swaps from the greedy set whose length is not printed: `subset` "greedy" has none, "dpp" as many as
the theorem needs. Two published versions:

2025a (Mauduit25a, Algorithm 1): own observations whose injected variance sigma^2 (1 + lag^2) is
    at most sigma^2 log t are kept with that variance, in addition to the expert's.
2025b (Mauduit25b, section 3.2, Algorithm 1): all own outputs are dropped.

Posterior: Mauduit25b eq. (20)-(21); width by default the information width with the bound B. Q_t = O(log t)
and the number of distinct inputs, at most that of the arms, grow with t, and with them a round's time and
memory.

Family: an expert answers questions.
Use it when observations age fast, the function itself stands still, and an expert answers many questions a
round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.expert import ExpertParameters, ExpertPolicy
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import NO_ARMS, require
from tvgp.posterior import Prior
from tvgp.theory.schedules import query_size


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """version: 2025a or 2025b."""

    version: str = "2025b"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.version in ("2025a", "2025b"), "version", self.version, "2025a or 2025b")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SparQGPUCB:
    """SparQ-GP-UCB on a batch engine, as all data are new each round."""
    return SparQGPUCB(prior, noise_variance, parameters)


class SparQGPUCB(ExpertPolicy):
    """Uses the expert's latest answers, alone or with the few newest own observations."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        self._history = History()
        self._answered, self._answers, self._variances = NO_ARMS, np.empty(0), np.empty(0)

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._subset.add(arm)
        if self._parameters.version == "2025a":
            extra = 0.0 if noise_variance is None else noise_variance - self._noise
            self._history.append(t, arm, value, extra)

    def _close(self, t: int) -> None:
        if t == self._prepared:  # else the queries follow
            self._age(t)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """Q_t distinct inputs that are available now."""
        size = query_size(t, self._parameters.query_scale)
        arms = self._subset.draw(size, rng, available)
        if not len(arms):
            self._learn_from_expert(t, arms, np.empty(0))
        return arms

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        self._answered, self._answers = arms, values
        if len(self._variances) != len(arms):
            self._variances = np.full(len(arms), self._expert_noise)
        self._age(t)

    def _age(self, now: int) -> None:
        arms, values, variances = self._answered, self._answers, self._variances
        if self._parameters.version == "2025a" and now >= 3:  # log 2 < 1: nothing is recent enough
            own = self._history.since(now - int(np.sqrt(np.log(now) - 1.0)))
            lags = (now - self._history.rounds[own]).astype(float)
            added = self._noise * (1.0 + lags**2) + self._history.noise[own]
            arms = np.concatenate([arms, self._history.arms[own]])
            values = np.concatenate([values, self._history.values[own]])
            variances = np.concatenate([variances, added])
        self._engine.condition(arms, values, variances)
