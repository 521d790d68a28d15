"""Growth of regret in the test beds: exponent and late regret of every method at every drift exponent."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import growth, presentation
from tvgp.study.results.statistics import mean_interval

COLUMNS = (
    *("analysis", "alpha", "policy", "label", "rounds", "runs"),
    *("exponent", "low", "high", "late", "late_low", "late_high", "queries"),
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (analysis, alpha, method).

    exponent: slope of log R_t on log t over the last decade of `rounds`; late: regret per round in the last
    tenth, as a share of that of random play, mean of the runs' shares; both with 95 % intervals; queries:
    per round.
    """
    table = []
    for data in collected:
        shares = data.late_regret / data.random_play
        queries = data.cumulative_queries.isel(round=-1) / data["round"].values[-1]
        for alpha in growth.alphas(data):
            for name in growth.run_at(data, growth.methods(data), alpha):
                slope = growth.exponent(data, name, alpha)
                share = mean_interval(shares.sel(part=name, alpha=alpha).values)
                numbers = (slope.mean, slope.low, slope.high, share.mean, share.low, share.high)
                asked = float(queries.sel(part=name, alpha=alpha).mean())
                key = (results.name(data), alpha, name, presentation.label(name))
                table.append((*key, int(data["round"].values[-1]), data.sizes["seed"], *numbers, asked))
    return pd.DataFrame(table, columns=COLUMNS)
