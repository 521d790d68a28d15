"""Measurements on recent methods: the effect of the prior mean, the number of detections."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from scipy.optimize import bisect

from tvgp.study.claims.claim import Holds, Measured, Within
from tvgp.study.claims.measures.entries import at, final_average
from tvgp.study.results.statistics import Estimate, mean_interval
from tvgp.theory.schedules import master_threshold


def prior_mean_effect(
    parts: Mapping[str, xr.Dataset], variant: str, high: str, low: str, least: float, most: float
) -> Measured:
    """Average regret with a higher prior mean over that with a lower one, run by run."""
    ours = mean_interval(final_average(parts[high], variant) / final_average(parts[low], variant))
    note = f"claimed between {least:g} and {most:g}"
    return Measured(
        "$R_T/T$ with the higher prior mean over that with the lower", ours, Within(least, most), note
    )


def first_detection(part: xr.Dataset, method: str, at_least: float, delta: float) -> Measured:
    """The least T at which the lower threshold of MASTER, 3 rho^(T), can be exceeded at all: arithmetic, with
    gamma_T and b of 1 and rewards in [0, 1]. The runs add how often it detects something."""
    numbers = at(part, part=method).detections.transpose("seed", "change").values
    horizon = bisect(
        lambda log: 3.0 * master_threshold(np.exp(log), delta, 1.0, 1.0) * np.exp(-log / 2) - 1.0, 7.0, 70.0
    )
    ours = Estimate.exact(float(np.exp(horizon)))
    note = (
        f"arithmetic, not an experiment: $γ_T = b = 1$, rewards in [0, 1]; {numbers.sum():.0f} detections in"
        f" {numbers.size} runs of {', '.join(map(str, part.change.values))}"
    )
    return Measured("least $T$ whose lower threshold is 1", ours, Holds(ours.mean >= at_least), note)
