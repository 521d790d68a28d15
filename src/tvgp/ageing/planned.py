"""W-SparQ-GP-UCB and UI-SparQ-GP-UCB with predetermined rounds and numbers of queries."""

from __future__ import annotations

import sys

import numpy as np

from tvgp.policies import ui_sparq_gp_ucb, w_sparq_gp_ucb
from tvgp.policies.base.policy import NO_ARMS
from tvgp.policies.ui_sparq_gp_ucb import UISparQGPUCB
from tvgp.policies.w_sparq_gp_ucb import WSparQGPUCB
from tvgp.posterior import Prior


class PlannedWindows(WSparQGPUCB):
    """At each start the expert's answers replace all data; own observations are then added.

    Own observations before the first start are kept until then. If the round of a start is skipped, its
    window starts at the next observation.
    """

    def __init__(
        self,
        prior: Prior,
        noise_variance: float,
        parameters: w_sparq_gp_ucb.Parameters,
        starts: np.ndarray,
        sizes: np.ndarray,
    ) -> None:
        """starts: rounds of the queries, ascending; sizes: number of arms in each query."""
        self._starts, self._sizes = starts, sizes
        super().__init__(prior, noise_variance, parameters)
        self._next_start = int(starts[0])

    def _window_after(self, t: int) -> int:
        later = self._starts[self._starts > t]
        return int(later[0]) if len(later) else self._parameters.horizon + 1

    def _queries_at(self, t: int) -> int:
        return int(self._sizes[self._starts <= t][-1])


class PlannedQueries(UISparQGPUCB):
    """Nothing is dropped, so no posterior does better with the same queries."""

    def __init__(
        self,
        prior: Prior,
        noise_variance: float,
        parameters: ui_sparq_gp_ucb.Parameters,
        starts: np.ndarray,
        sizes: np.ndarray,
    ) -> None:
        """starts, sizes: as in `PlannedWindows`, also where rounds are skipped."""
        super().__init__(prior, noise_variance, parameters)
        self._starts, self._sizes = starts, sizes
        self._start, self._next_start = 0, int(starts[0])

    def _learn(self, t: int, arm: int, value: float, noise_variance: float | None) -> None:
        super()._learn(t, arm, value, noise_variance)
        if t >= self._next_start:
            later = self._starts[self._starts > t]
            self._start, self._next_start = t, int(later[0]) if len(later) else sys.maxsize

    def _queries(self, t: int, rng: np.random.Generator, available: np.ndarray | None) -> np.ndarray:
        """At a start, past inputs that are available in this round; otherwise none."""
        if t != self._start:
            return NO_ARMS
        return self._subset.draw(int(self._sizes[self._starts <= t][-1]), rng, available)
