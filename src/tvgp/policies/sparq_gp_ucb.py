"""SparQ-GP-UCB: drops old outputs and asks an expert about a sparse subset of old inputs.

After round t a k-DPP draws Q_t points X^E of the distinct past inputs {x_1..x_t}, and the expert
answers y^E = f_t(X^E) + N(0, sigma_E^2). Two published versions:

2025a (Mauduit25a, Algorithm 1): own observations whose injected variance sigma^2 (1 + lag^2) is
    at most sigma^2 log t are kept with that variance, in addition to the expert's.
2025b (Mauduit25b, section 3.2, Algorithm 1): all own outputs are dropped.

Posterior: Mauduit25b eq. (20)-(21); width: information width with the bound B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.expert import SUBSETS, ExpertParameters, ExpertPolicy, Subset
from tvgp.policies.base.history import History
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior
from tvgp.theory.schedules import query_size


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """version: 2025a or 2025b; subset: dpp, greedy, swap or random."""

    version: str = "2025b"
    subset: str = "dpp"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.version in ("2025a", "2025b"), "version", self.version, "2025a or 2025b")
        require(self.subset in SUBSETS, "subset", self.subset, ", ".join(SUBSETS))


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SparQGPUCB:
    """SparQ-GP-UCB on a batch engine, as all data are new each round."""
    return SparQGPUCB(prior, noise_variance, parameters)


class SparQGPUCB(ExpertPolicy):
    """Uses the expert's latest answers, alone or with the few newest own observations."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        self._history = History()
        self._subset = Subset(prior, parameters.subset)

    def _learn(self, t: int, arm: int, value: float) -> None:
        self._history.append(arm, value)
        self._subset.add(arm)

    def expert_queries(
        self, t: int, rng: np.random.Generator, available: np.ndarray | None = None
    ) -> np.ndarray:
        """Q_t distinct past inputs that are available now."""
        size = query_size(t, self._parameters.query_scale)
        arms = self._subset.draw(size, rng, available)
        if not len(arms):
            self._learn_from_expert(t, arms, np.empty(0))
        return arms

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        noise = np.full(len(arms), self._expert_noise)
        kept = 0
        if self._parameters.version == "2025a" and t >= 3:  # log 2 < 1: nothing is recent enough
            kept = 1 + int(np.sqrt(np.log(t) - 1.0))
            kept = min(kept, self._history.n)
        if not kept:
            self._engine.condition(arms, values, noise)
            return
        lags = np.arange(kept - 1, -1, -1.0)
        own = slice(self._history.n - kept, None)
        self._engine.condition(
            np.concatenate([arms, self._history.arms[own]]),
            np.concatenate([values, self._history.values[own]]),
            np.concatenate([noise, self._noise * (1.0 + lags**2)]),
        )
