"""BoTorch's SingleTaskGP, refitted in every round, and its upper confidence bound with tvgp's width.

time: t as a further input of the model, fixed in the search."""

from __future__ import annotations

import warnings

import numpy as np
import torch
from botorch.acquisition import UpperConfidenceBound
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from tvgp.theory.widths import logarithmic_width

_INITIAL = 5  # random points


def make(domain: np.ndarray, horizon: int, rng: np.random.Generator) -> BoTorchGP:
    """Default settings of model, fit and search (20 starts of 512 samples)."""
    return BoTorchGP(domain, horizon, rng, time=False)


class BoTorchGP:
    """float64, one thread."""

    def __init__(self, domain: np.ndarray, horizon: int, rng: np.random.Generator, time: bool) -> None:
        torch.manual_seed(int(rng.integers(2**31)))
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        self._domain, self._horizon, self._time = domain, horizon, time
        self._rows: list[list[float]] = []
        self._values: list[float] = []

    def propose(self, t: int, rng: np.random.Generator, batch: int) -> np.ndarray:
        """The maximum of the upper bound, (1, d)."""
        if len(self._values) < _INITIAL:
            return rng.uniform(*self._domain, (1, self._domain.shape[1]))
        model = SingleTaskGP(
            torch.tensor(self._rows, dtype=torch.float64),
            torch.tensor(self._values, dtype=torch.float64)[:, None],
        )
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        bound = UpperConfidenceBound(model, beta=logarithmic_width(0.8, 4.0, t) ** 2)
        ends, d = torch.tensor(self._domain), self._domain.shape[1]
        fixed = None
        if self._time:
            ends, fixed = torch.cat([ends, torch.tensor([[0.0], [1.0]])], dim=1), {d: t / self._horizon}
        found, _ = optimize_acqf(
            bound, bounds=ends, q=1, num_restarts=20, raw_samples=512, fixed_features=fixed
        )
        return np.clip(found.numpy()[:, :d], *self._domain)

    def observe_points(self, t: int, points: np.ndarray, rewards: np.ndarray) -> None:
        """A row of the data each."""
        own = [t / self._horizon] if self._time else []
        self._rows += [[*point, *own] for point in points.tolist()]
        self._values += rewards.tolist()
