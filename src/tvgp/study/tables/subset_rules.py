"""Regret of SparQ and W-SparQ under every subset rule, and the effects of place and randomness.

Rules and effects are those of `tvgp.study.results.subsets`. Differences are taken run by run, as all
rules meet the same environment and noise, or block by block of the rounds of a record; intervals have level
95 % (Student t) over `sample`, without adjustment for their number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import presentation, subsets
from tvgp.study.results.statistics import Estimate, mean_interval

QUANTITIES = {True: "regret per round, last tenth", False: "regret per round"}


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """Per experiment or test bed and method, a row for each rule that was run and one per effect."""
    table = []
    for data in collected:
        part = results.at_alpha(data)
        for method in subsets.METHODS:
            for row, found, asked in _of_method(part, method):
                quantity = QUANTITIES[results.is_analysis(part)]
                table.append(
                    {
                        "experiment": results.name(part),
                        "data": part.attrs["data"],
                        "method": presentation.label(method),
                        "row": row,
                        "quantity": quantity if row in subsets.RULES else f"effect on {quantity}",
                        **found.columns("value", ""),
                        "sample": results.sample_words(part, found.runs),
                        "queries_per_round": asked,
                        "units": results.units(part),
                    }
                )
    return pd.DataFrame(table)


def _of_method(part: xr.Dataset, method: str) -> Iterator[tuple[str, Estimate, float]]:
    """Rule or effect, its estimate, and queries per round, NaN for an effect."""
    for rule in subsets.RULES:
        runs = subsets.regret(part, method, rule)
        if runs is not None:
            yield rule, mean_interval(results.joined(part, runs)), subsets.queries(part, method, rule)
    for name, effect in (subsets.effects(part, method) or {}).items():
        yield name, effect, np.nan
