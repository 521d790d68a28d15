"""W-SparQ-GP-UCB with predetermined windows and numbers of queries."""

from __future__ import annotations

import numpy as np

from tvgp.policies import w_sparq_gp_ucb
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
