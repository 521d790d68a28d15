"""Prior order: the available arm of the largest prior mean, whatever is observed.

With the means of a training part it is the rule that needs no method: the best arm known before, the next one
where it is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.ordered import Ordered
from tvgp.policies.base.policy import prior_means
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters:
    """prior_mean: in reward units, one number or one per arm; equal arms in the order of their index."""

    prior_mean: float | tuple[float, ...] = 0.0


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> PriorOrder:
    """The order of the prior means."""
    return PriorOrder(prior, parameters)


class PriorOrder(Ordered):
    """Plays the available arm of the largest prior mean."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        means = prior_means(parameters.prior_mean, self._n_arms)
        self._order = np.argsort(-np.broadcast_to(means, self._n_arms), kind="stable")
