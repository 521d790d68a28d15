"""GP-, SW- or TV-GP-UCB with as many evaluations per round as SparQ or W-SparQ, chosen one by one.

A control that the papers lack: whenever SparQ (every round) or W-SparQ (at its window starts) would ask
the expert, this policy asks about as many arms, each the argmax of mu + width sigma, among those not
asked in this round, given all answers so far, those of the same round included. All answers are kept as
observations, for as long as the model keeps its own. If it ties with SparQ, only the number of
evaluations matters.

Family: an expert answers questions.
Use it when an expert answers one question at a time after each play.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tvgp.policies.base.policy import require
from tvgp.policies.base.sequential import SequentialPolicy
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.policies.pandora_gp_ucb import ModelParameters
from tvgp.posterior import Prior
from tvgp.theory.schedules import check_alpha_tilde, next_window_start, query_size


@dataclass(frozen=True)
class Parameters(ModelParameters):
    """schedule: sparq or w_sparq; query_scale: c in Q_t = min(t, ceil(c log t)); alpha, alpha_tilde:
    exponents of W-SparQ's windows. Answers have the noise of observations."""

    OURS: ClassVar[tuple[str, ...]] = ()

    width: float | str = "information"
    model: str = "gp"
    schedule: str = "sparq"
    query_scale: float = 6.0
    alpha: float = 1.0
    alpha_tilde: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.schedule in ("sparq", "w_sparq"), "schedule", self.schedule, "sparq or w_sparq")
        require(self.query_scale > 0, "query_scale", self.query_scale, "positive")
        require(self.alpha > 0, "alpha", self.alpha, "positive")
        check_alpha_tilde(self.alpha_tilde)


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> SequentialQueryUCB:
    """On the model's policy, whose engine is chosen for as many observations as the schedule allows."""
    most = query_size(parameters.horizon, parameters.query_scale)
    model = parameters.build(prior, noise_variance, most)
    return SequentialQueryUCB(prior, noise_variance, parameters, model)


class SequentialQueryUCB(SequentialPolicy):
    """Asks about distinct arms, one at a time, in each round of the schedule."""

    def __init__(
        self, prior: Prior, noise_variance: float, parameters: Parameters, model: UpperConfidencePolicy
    ) -> None:
        super().__init__(prior, noise_variance, parameters, model)
        self._p = parameters
        self._next = 1  # the next round with queries

    def _allowance(self, t: int) -> int:
        p = self._p
        if t < self._next:
            return 0
        self._next = t + 1 if p.schedule == "sparq" else next_window_start(t, p.alpha, p.alpha_tilde)
        return min(t, query_size(t, p.query_scale))

    def _scores(
        self, model: UpperConfidencePolicy, t: int, free: np.ndarray, available: np.ndarray | None
    ) -> tuple[np.ndarray, float]:
        """Upper confidence bounds for f_t."""
        return model._scores(model._width(t)), -np.inf
