"""Uniform random play: the baseline that every method must beat."""

from __future__ import annotations

import numpy as np

from tvgp.plugins import NoParameters
from tvgp.policies.base.model_free import ModelFree
from tvgp.posterior import Prior


def make(prior: Prior, noise_variance: float, parameters: NoParameters) -> Uniform:
    """Uniform random play over the available arms."""
    return Uniform(prior, parameters)


class Uniform(ModelFree):
    """Plays every available arm with the same probability."""

    def _choose(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> int:
        """A uniform draw."""
        if available is None:
            return int(rng.integers(self._n_arms))
        return int(rng.choice(np.flatnonzero(available)))
