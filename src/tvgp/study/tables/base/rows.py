"""The columns of the table `answer`, and a row of it."""

from __future__ import annotations

import xarray as xr

from tvgp.study import results
from tvgp.study.results import readings
from tvgp.study.results.statistics import Estimate, mean_interval
from tvgp.study.tables.base.settings import setting
from tvgp.study.tables.comparisons import verdict

COLUMNS = (
    "experiment",
    "data",
    "question",
    "name",
    "label",
    "setting",
    "value",
    "low",
    "high",
    "units",
    "difference",
    "difference_low",
    "difference_high",
    "verdict",
    "queries_per_round",
    "sample",
)


def stated(part: xr.Dataset, question: str, name: str) -> dict:
    """The first columns of a row."""
    return {
        "experiment": part.attrs["experiment"],
        "data": part.attrs["data"],
        "question": question,
        "name": name,
    }


def compared(part: xr.Dataset, question: str, name: str, difference: Estimate) -> dict:
    """The average regret of a variant with its interval, and its difference from another."""
    ours = mean_interval(results.final_average(part, name))
    same = difference.mean == difference.low == difference.high == 0
    return stated(part, question, name) | {
        "label": results.label(part, name),
        "setting": setting(part, name),
        **ours.columns("value", ""),
        "units": results.units(part),
        **difference.columns("difference"),
        "verdict": "least" if same else verdict(difference),
        "queries_per_round": readings.per_round(part, name),
        "sample": results.sample_words(part),
    }
