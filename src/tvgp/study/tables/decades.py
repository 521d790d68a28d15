"""Growth of regret in the test beds decade by decade: does it still slow down?"""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import growth, presentation
from tvgp.study.results.statistics import mean_interval

COLUMNS = (
    *("analysis", "alpha", "policy", "label", "runs", "first", "last"),
    *("exponent", "low", "high", "average", "average_low", "average_high", "share", "queries"),
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (analysis, alpha, method, decade).

    exponent: slope of log R_t on log t from round `first` to `last`; average: R_t / t at `last`, both
    with 95 % intervals; share: of random play's regret; queries: per round up to `last`.
    """
    table = []
    for data in collected:
        per_round = data[["cumulative_regret", "cumulative_queries"]] / data["round"]
        for alpha in growth.alphas(data):
            for name in growth.run_at(data, growth.methods(data), alpha):
                for first, last in growth.decades(data):
                    slope = growth.over_decade(data, name, alpha, (first, last))
                    at = per_round.sel(part=name, alpha=alpha, round=last)
                    average = mean_interval(at.cumulative_regret.values)
                    play = growth.random_play(data.sel(part=name), alpha)
                    table.append(
                        (
                            *(results.name(data), alpha, name, presentation.label(name)),
                            *(data.sizes["seed"], first, last, slope.mean, slope.low, slope.high),
                            *(average.mean, average.low, average.high),
                            *(average.mean / play, float(at.cumulative_queries.mean())),
                        )
                    )
    return pd.DataFrame(table, columns=COLUMNS)
