"""Measurements on recent methods: the effect of the prior mean."""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from tvgp.study.claims.claim import Measured, Within
from tvgp.study.claims.measures.entries import final_average
from tvgp.study.results.statistics import mean_interval


def prior_mean_effect(
    parts: Mapping[str, xr.Dataset], variant: str, given: str, least: float, most: float
) -> Measured:
    """Average regret with a shifted prior mean over that with the `given` one, run by run: the mean over the
    shifts."""
    base = final_average(parts[given], variant)
    shifted = [final_average(part, variant) / base for name, part in parts.items() if name != given]
    ours = mean_interval(sum(shifted) / len(shifted))
    note = f"claimed between {least:g} and {most:g}"
    return Measured("R_T/T with a shifted prior mean over that without", ours, Within(least, most), note)
