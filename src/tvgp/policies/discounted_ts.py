"""Discounted Thompson sampling with Gaussian samples (Qi, Wang & Zhu 2023, arXiv 2305.10718): arms without
coordinates.

    x_t = argmax of theta_i ~ N(m_i, scale^2 / N_i),  N_i = sum_s gamma^(t-1-s) [x_s = i],

m_i the mean reward of arm i with the same weights. In Raj & Kalyani 2017 (arXiv 1707.09727), where the method
comes from, rewards are 0 or 1 and samples of beta laws, Beta(1 + S_i, 1 + F_i), whose sums S_i of rewards and
F_i of 1 less the reward fall by gamma per round. The formula is unnumbered, and only the abstract of the
Gaussian version was read: a sample's variance, scale^2 / N_i, is that of a mean of N_i values.

Family: arms without coordinates.
Use it when arms have no coordinates, rewards change gradually, and play should be random.
"""

from __future__ import annotations

import numpy as np

from tvgp.policies.base.index import DiscountedPolicy, DiscountParameters
from tvgp.posterior import Prior

Parameters = DiscountParameters


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> DiscountedTS:
    """Discounted Thompson sampling."""
    return DiscountedTS(prior, parameters)


class DiscountedTS(DiscountedPolicy):
    """Samples around discounted means."""

    def _bonus(self, t: int, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """z_i / sqrt(N_i), z_i ~ N(0, 1)."""
        return rng.standard_normal(len(numbers)) / np.sqrt(numbers)
