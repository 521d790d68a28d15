"""Information gain gamma_T = 1/2 log det(I + K / sigma^2) against T: greedy and realised.

greedy: arms chosen one at a time with replacement, within 1 - 1/e of the maximum (Srinivas et al.
2010, section 4); realised: of the arms that GP-UCB plays on the ageing test bed's function, which
has |f|_k = B and no drift.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from tvgp import posterior, streams
from tvgp.acquisition import best_arm, random_best_arm
from tvgp.study.analyses.base.testbed import TestBed, on_test_bed
from tvgp.theory import schedules
from tvgp.theory.widths import information_width

# Number of saved rounds per factor of 10.
_PER_DECADE = 8


@on_test_bed()
def run(seeds: list[int], test_bed: TestBed, kernel: str, horizon: int) -> xr.Dataset:
    """greedy (round), realised (seed, round), at rounds evenly spaced in log t, 1 to the horizon.

    kernel: as in `kernels.make`. ValueError for an unknown kernel and a horizon below 10.
    """
    if horizon < 10:
        raise ValueError(f"information gain: horizon is {horizon}; expected 10 or more")
    steps = int(np.ceil(_PER_DECADE * np.log10(horizon)))
    rounds = np.unique(np.geomspace(1, horizon, steps + 1).round().astype(int))
    realised = np.empty((len(seeds), len(rounds)))
    for i, seed in enumerate(seeds):
        f, prior = test_bed.fixed(seed, kernel)
        rng = streams.generator("information_gain", kernel, seed, "policy")
        noise = streams.generator("information_gain", kernel, seed, "noise")
        engine = posterior.make(prior, test_bed.noise_variance, horizon=horizon)
        gains = np.empty(horizon)
        for t in range(horizon):
            width = information_width(test_bed.norm_bound, test_bed.delta, engine.log_det)
            scores = engine.mean + width * np.sqrt(engine.variance)
            arm = best_arm(scores) if t else random_best_arm(scores, rng)
            engine.observe(arm, f[arm] + np.sqrt(test_bed.noise_variance) * noise.standard_normal())
            gains[t] = 0.5 * engine.log_det
        realised[i] = gains[rounds - 1]
    greedy = schedules.information_gains(prior, test_bed.noise_variance, rounds)
    return xr.Dataset(
        {"greedy": ("round", greedy), "realised": (("seed", "round"), realised)},
        coords={"round": rounds},
    )


def uses(**parameters: Any) -> tuple[str, ...]:
    """The environment, loaded by name."""
    return ("tvgp.environments.ageing",)
