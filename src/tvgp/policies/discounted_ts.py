"""Discounted Thompson sampling (Raj & Kalyani 2017) with Gaussian samples: arms without coordinates.

    x_t = argmax of theta_i ~ N(m_i, scale^2 / N_i),  N_i = sum_s gamma^(t-1-s) [x_s = i],

m_i the mean reward of arm i with the same weights. The paper's rewards are 0 or 1 and its samples of beta
laws, whose counts fall by gamma per round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.index import DiscountedPolicy, DiscountParameters
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(DiscountParameters):
    """No parameters of its own."""


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> DiscountedTS:
    """Discounted Thompson sampling."""
    return DiscountedTS(prior, parameters)


class DiscountedTS(DiscountedPolicy):
    """Samples around discounted means."""

    def _bonus(self, t: int, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """z_i / sqrt(N_i), z_i ~ N(0, 1)."""
        return rng.standard_normal(len(numbers)) / np.sqrt(numbers)
