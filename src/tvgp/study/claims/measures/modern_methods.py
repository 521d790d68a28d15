"""Measurements on recent methods: the effect of the prior mean, the number of detections."""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from tvgp.study.claims.claim import Holds, Measured, Within
from tvgp.study.claims.measures.entries import final_average
from tvgp.study.results.statistics import mean_interval


def prior_mean_effect(
    parts: Mapping[str, xr.Dataset], variant: str, high: str, low: str, least: float, most: float
) -> Measured:
    """Average regret with a higher prior mean over that with a lower one, run by run."""
    ours = mean_interval(final_average(parts[high], variant) / final_average(parts[low], variant))
    note = f"claimed between {least:g} and {most:g}"
    return Measured(
        "$R_T/T$ with the higher prior mean over that with the lower", ours, Within(least, most), note
    )


def no_detection(part: xr.Dataset, method: str) -> Measured:
    """Detections per run, of which there is to be none in any run, whatever the change."""
    numbers = part.detections.sel(part=method).transpose("seed", "change").values
    changes = ", ".join(map(str, part.change.values))
    ours = mean_interval(numbers.mean(axis=1))
    return Measured("detections per run", ours, Holds(not numbers.any()), f"changes: {changes}")
