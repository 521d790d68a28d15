"""W-DBO in its authors' package wdbo_algo: Matern-5/2 in space, Matern-3/2 in time, 15 random points, t in
shares of the horizon."""

from __future__ import annotations

import warnings

import gpytorch
import numpy as np
import torch
from wdbo_algo.optimizer import WDBOOptimizer


def make(domain: np.ndarray, horizon: int, rng: np.random.Generator) -> WDBO:
    """A fresh optimiser."""
    return WDBO(domain, horizon, rng)


class WDBO:
    """Its draws are those of NumPy's and torch's global streams."""

    def __init__(self, domain: np.ndarray, horizon: int, rng: np.random.Generator) -> None:
        seed = int(rng.integers(2**31))
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float64)  # it mixes both otherwise
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        matern = gpytorch.kernels.MaternKernel
        self._inner = WDBOOptimizer(domain.T, matern, matern, [2.5], [1.5])
        self._domain, self._horizon = domain, horizon

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """The next query, (1, d)."""
        found = np.asarray(self._inner.next_query(t / self._horizon), dtype=float)
        return np.clip(found, *self._domain)[None]

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """Tell, then clean."""
        now = t / self._horizon
        for point, value in zip(points, rewards.tolist(), strict=True):
            self._inner.tell(point, now, value)
        self._inner.clean(now)
