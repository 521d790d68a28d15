"""A phase diagram in numbers: growth and late regret by procedure, drift exponent and query exponent."""

from __future__ import annotations

import itertools

import pandas as pd
import xarray as xr

from tvgp.study.results import growth
from tvgp.study.results.statistics import mean_interval

COLUMNS = (
    *("procedure", "alpha", "query_exponent", "rounds", "runs"),
    *("exponent", "low", "high", "late", "late_low", "late_high", "queries"),
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per cell of the analysis `phase_diagram`: procedure, alpha, query exponent.

    exponent: slope of log R_T on log T over the horizons; late: regret per round in the last tenth of the
    longest run, of `rounds`, as a share of that of random play; both with 95 % intervals over the runs;
    queries: per round of the longest run.
    """
    (data,) = collected
    longest = data.isel(horizon=-1)
    shares, rounds = longest.late_regret / longest.random_play, int(longest.horizon)
    table = []
    for procedure in map(str, data.part.values):
        for alpha, p in itertools.product(data.alpha.values, data.query_exponent.values):
            cell = {"part": procedure, "alpha": alpha, "query_exponent": p}
            slope = growth.cell_exponent(data, procedure, alpha, p)
            share = mean_interval(shares.sel(cell).values)
            numbers = (slope.mean, slope.low, slope.high, share.mean, share.low, share.high)
            asked = float(longest.queries.sel(cell).mean()) / rounds
            table.append((*cell.values(), rounds, data.sizes["seed"], *numbers, asked))
    return pd.DataFrame(table, columns=COLUMNS)
