"""Measurements on recent methods: the effect of the prior mean, the number of detections."""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from tvgp.study.claims.claim import Measured, Within
from tvgp.study.claims.measures.entries import final_average
from tvgp.study.results.statistics import mean_interval


def prior_mean_effect(
    parts: Mapping[str, xr.Dataset], variant: str, high: str, low: str, least: float, most: float
) -> Measured:
    """Average regret with a higher prior mean over that with a lower one, run by run."""
    ours = mean_interval(final_average(parts[high], variant) / final_average(parts[low], variant))
    note = f"claimed between {least:g} and {most:g}"
    return Measured(
        "R_T/T with the higher prior mean over that with the lower", ours, Within(least, most), note
    )


def detections(part: xr.Dataset, method: str, most: float) -> Measured:
    """Detections per run, over all kinds of change."""
    numbers = part.detections.sel(part=method).transpose("seed", "change").values
    changes = ", ".join(map(str, part.change.values))
    ours = mean_interval(numbers.sum(axis=1) / numbers.shape[1])
    return Measured("detections per run", ours, Within(most=most), f"changes: {changes}")
