"""Discounted UCB (Kocsis & Szepesvari 2006; Garivier & Moulines 2011, section 2.1): arms without coordinates.

    x_t = argmax m_i + 2 scale sqrt(xi log(n) / N_i),  N_i = sum_s gamma^(t-1-s) [x_s = i],  n = sum_i N_i,

m_i the mean reward of arm i with the same weights, xi > 1/2 in theory. Compared with the unnumbered formula
of Lattimore & Szepesvari 2020 (section 31.3, note 2), m_i + sqrt(alpha log(n) / N_i): alpha is 4 xi scale^2.

Family: arms without coordinates.
Use it when arms have no coordinates and rewards change gradually.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tvgp.policies.base.index import DiscountedPolicy, DiscountParameters
from tvgp.policies.base.policy import require
from tvgp.posterior import Prior


@dataclass(frozen=True)
class Parameters(DiscountParameters):
    """xi: 0.6 in the paper's experiments."""

    xi: float = 0.6

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.xi > 0, "xi", self.xi, "positive")


def make(prior: Prior, noise_variance: float, parameters: Parameters) -> DiscountedUCB:
    """Discounted UCB."""
    return DiscountedUCB(prior, parameters)


class DiscountedUCB(DiscountedPolicy):
    """Confidence bounds from discounted counts."""

    def __init__(self, prior: Prior, parameters: Parameters) -> None:
        super().__init__(prior, parameters)
        self._xi = parameters.xi

    def _bonus(self, t: int, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """2 sqrt(xi log(n) / N_i)."""
        return 2.0 * np.sqrt(self._xi * np.log(max(numbers.sum(), 1.0)) / numbers)
