"""Growth of regret in the test beds: exponent and late regret of every method at every drift exponent."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import growth, presentation
from tvgp.study.results.statistics import mean_interval

COLUMNS = (
    *("analysis", "alpha", "policy", "label", "rounds", "runs"),
    *("exponent", "low", "high", "late", "late_low", "late_high", "queries", "random"),
    *("against_after", "against_after_low", "against_after_high"),
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (analysis, alpha, method).

    exponent: slope of log R_t on log t over the last decade of `rounds`; late: regret per round in the last
    tenth, as a share of that of random play, mean of the runs' shares; both with 95 % intervals; queries:
    per round; random: regret per round of random play; against_after: of a method that asks before its
    choice, late less that of the same method asking after it, paired by run.
    """
    table = []
    for data in collected:
        shares = data.late_regret / data.random_play
        queries = data.cumulative_queries.isel(round=-1) / data["round"].values[-1]
        for alpha in growth.alphas(data):
            played = growth.run_at(data, growth.methods(data), alpha)
            late = {name: shares.sel(part=name, alpha=alpha).values for name in played}
            for name in played:
                row = {
                    "analysis": results.name(data),
                    "alpha": alpha,
                    "policy": name,
                    "label": presentation.label(name),
                    "rounds": int(data["round"].values[-1]),
                    "runs": data.sizes["seed"],
                    **growth.exponent(data, name, alpha).columns("exponent", ""),
                    **mean_interval(late[name]).columns("late"),
                    "queries": float(queries.sel(part=name, alpha=alpha).mean()),
                    "random": growth.random_play(data.sel(part=name), alpha),
                }
                if after := _asked_after(name, played):
                    row |= mean_interval(late[name] - late[after]).columns("against_after")
                table.append(row)
    return pd.DataFrame(table, columns=COLUMNS)


def _asked_after(name: str, played: list[str]) -> str:
    """The method that asks as `name` does before its choice, but after it; "" without one."""
    stem = name.removesuffix("_before")
    return next((each for each in (stem, f"{stem}_gp_ucb") if each in played and stem != name), "")
