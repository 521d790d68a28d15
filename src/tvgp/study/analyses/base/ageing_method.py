"""A method in the ageing test bed, with the noise that all methods of a seed and alpha face."""

from __future__ import annotations

from typing import Any

import numpy as np

from tvgp import streams
from tvgp.ageing import methods
from tvgp.ageing.merged import AgeingMerged
from tvgp.ageing.noise_growth import NoiseGrowth
from tvgp.ageing.weight_space import AgeingWeightSpace
from tvgp.policies.base.ucb import UpperConfidencePolicy
from tvgp.study.analyses.base.testbed import STREAM, TestBed


def make(
    test_bed: TestBed, method: str, alpha: float, seed: int, horizon: int, **parameters: Any
) -> tuple[UpperConfidencePolicy, AgeingMerged | AgeingWeightSpace, np.ndarray]:
    """The policy and the engine of `tvgp.ageing.methods.make`, and the function f, (n_arms,)."""
    f, prior = test_bed.fixed(seed)
    names = (STREAM, f"{alpha:g}", seed)
    policy, engine = methods.make(
        method,
        prior,
        NoiseGrowth(test_bed.noise_variance, alpha),
        f,
        horizon,
        noise=streams.NoiseField(test_bed.n_arms, *names, "noise"),
        redraws=streams.generator(*names, "noise", method),
        norm_bound=test_bed.norm_bound,
        delta=test_bed.delta,
        **parameters,
    )
    return policy, engine, f
