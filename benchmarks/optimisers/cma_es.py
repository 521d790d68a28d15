"""CMA-ES (package cmaes), one individual per round, from the centre of the box with a step of 0.3 of its
sides; started again at a random point when it stops by its own rules."""

from __future__ import annotations

import numpy as np
from cmaes import CMA


def make(domain: np.ndarray, horizon: int, rng: np.random.Generator) -> CMAES:
    """A fresh evolution."""
    return CMAES(domain, rng)


class CMAES:
    """Default settings."""

    def __init__(self, domain: np.ndarray, rng: np.random.Generator) -> None:
        self._domain, self._rng = domain, rng
        self._start(domain.mean(axis=0))

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """The next individual, (1, d)."""
        return self._cma.ask()[None]

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """Its value; the distribution moves after a generation."""
        self._generation += [(point, -value) for point, value in zip(points, rewards.tolist(), strict=True)]
        if len(self._generation) == self._cma.population_size:
            self._cma.tell(self._generation)
            self._generation = []
            if self._cma.should_stop():
                self._start(self._rng.uniform(*self._domain))

    def _start(self, centre: np.ndarray) -> None:
        step, seed = 0.3 * float(np.ptp(self._domain, axis=0).min()), int(self._rng.integers(2**31))
        self._cma = CMA(mean=centre, sigma=step, bounds=self._domain.T, seed=seed)
        self._generation: list[tuple[np.ndarray, float]] = []
