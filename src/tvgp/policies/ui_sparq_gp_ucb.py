"""UI-SparQ-GP-UCB: SparQ's queries without dropping any data.

SparQ-GP-UCB (Mauduit25b, Algorithm 1) keeps nothing but the expert's latest answers. Its theorem rests on the
divergence between that posterior and one from all rounds being small, and cites a result on another
posterior, the variational one, which uses all outputs (`tvgp.theory.divergence`). Here none is dropped. After
round t the posterior is that of

    all own observations, of round s with noise variance sigma^2 (1 + (t - s)^alpha), as in UI-GP-UCB,
    all answers, to the query of round s with sigma_E^2 + sigma^2 (t - s)^alpha,

so that its variance is at most that of UI-GP-UCB and of SparQ-GP-UCB with the same queries, and the width
(Mauduit25b, eq. 12) holds for all data in use. With `answers` "latest" those of earlier queries are
dropped. Without queries it is UI-GP-UCB. After each round the expert is asked about Q_t of the distinct past
inputs, as in SparQ-GP-UCB; a round takes the time of one posterior, whatever t, while none is skipped and
noise is as usual.

Family: an expert answers questions.
Use it when observations age, an expert answers questions, and no observation should be dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.aged_data import AgedData, lag_power
from tvgp.policies.base.aged_sums import AgedRounds
from tvgp.policies.base.expert import ExpertParameters, ExpertPolicy
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior
from tvgp.theory.schedules import query_size


@dataclass(frozen=True)
class Parameters(ExpertParameters):
    """alpha: drift exponent, positive; answers: which of the expert's are kept, all or latest."""

    alpha: float = 1.0
    answers: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        require(self.answers in ("all", "latest"), "answers", self.answers, "all or latest")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> UISparQGPUCB:
    """UI-SparQ-GP-UCB on a batch engine, as all noise variances change each round."""
    return UISparQGPUCB(prior, noise_variance, parameters)


class UISparQGPUCB(ExpertPolicy):
    """Down-weights own observations and answers with age; no weight reaches zero."""

    _parameters: Parameters

    def __init__(self, prior: Prior, noise_variance: float, parameters: Parameters) -> None:
        super().__init__(prior, noise_variance, parameters)
        horizon = parameters.horizon
        self._own = AgedData(self._variance, self._n_arms, longest=horizon, planned=horizon)
        self._answers = AgedRounds(self._precision_of_answers, self._n_arms, columns=2)
        self._due = False  # whether the posterior lacks data of the last round

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        self._subset.add(arm)
        self._own.append(t, arm, value, noise_variance)

    def _close(self, t: int) -> None:
        self._due = True  # most often queries follow

    def _advance(self, now: int) -> None:
        super()._advance(now)
        if self._due:
            self._age(self._over)

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """Q_t distinct inputs that are available now."""
        return self._subset.draw(query_size(t, self._parameters.query_scale), rng, available)

    def _learn_from_expert(self, t: int, arms: np.ndarray, values: np.ndarray) -> None:
        if self._parameters.answers == "latest":
            self._answers.restart()
        self._answers.add(t, arms, np.ones(len(arms)), values)
        self._age(t)

    def _age(self, now: int) -> None:
        self._due = False
        own, answered = self._own.sums(now), self._answers.sums_at(now)
        # sums of old blocks can round to slightly below 0
        precision = np.maximum(own[0] + answered[0], 0.0)
        self._engine.condition_sums(precision, own[1] + answered[1])

    def _variance(self, lags: np.ndarray) -> np.ndarray:
        """Noise variance of own observations at each lag."""
        return self._noise * (1.0 + lag_power(lags, self._parameters.alpha))

    def _precision_of_answers(self, lags: np.ndarray) -> np.ndarray:
        return 1.0 / (self._variance(lags) - self._noise + self._expert_noise)
