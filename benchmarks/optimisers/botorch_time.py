"""BoTorch with t as a further input, in shares of the horizon."""

from __future__ import annotations

import numpy as np

from benchmarks.optimisers.botorch_gp import BoTorchGP


def make(domain: np.ndarray, horizon: int, rng: np.random.Generator) -> BoTorchGP:
    """As `botorch_gp`."""
    return BoTorchGP(domain, horizon, rng, time=True)
