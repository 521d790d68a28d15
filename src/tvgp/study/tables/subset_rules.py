"""Regret of SparQ and W-SparQ under every subset rule, and the effects of place and randomness.

Rules and effects are those of `tvgp.study.results.subsets`. Differences are taken run by run, as all
rules meet the same environment and noise; intervals have level 95 % (Student t), without adjustment for
their number.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import presentation, subsets
from tvgp.study.results.statistics import Estimate, mean_interval

QUANTITIES = {True: "regret per round, last tenth", False: "regret per round"}
COLUMNS = (
    "experiment",
    "data",
    "method",
    "row",
    "quantity",
    "value",
    "low",
    "high",
    "runs",
    "queries_per_round",
    "units",
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """Per experiment or test bed and method, a row for each rule that was run and one per effect."""
    table = []
    for data in collected:
        part = data if results.is_analysis(data) else results.at_alpha(data)
        for method in subsets.METHODS:
            first = (results.name(part), part.attrs["data"], presentation.label(method))
            quantity = QUANTITIES[results.is_analysis(part)]
            for rule in subsets.RULES:
                runs = subsets.regret(part, method, rule)
                if runs is not None:
                    asked = subsets.queries(part, method, rule)
                    table.append(_row(*first, rule, quantity, mean_interval(runs), asked, part))
            for name, ours in (subsets.effects(part, method) or {}).items():
                table.append(_row(*first, name, f"effect on {quantity}", ours, np.nan, part))
    return pd.DataFrame(table, columns=COLUMNS)


def _row(
    experiment: str,
    data: str,
    label: str,
    row: str,
    quantity: str,
    ours: Estimate,
    asked: float,
    part: xr.Dataset,
) -> tuple:
    values = (ours.mean, ours.low, ours.high, ours.runs, asked)
    return (experiment, data, label, row, quantity, *values, results.units(part))
