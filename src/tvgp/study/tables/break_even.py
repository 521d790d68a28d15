"""The largest price at which a method's queries pay."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import prices
from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per problem and method: price, over the regret of random play, with its 95 % interval over
    runs, and the queries per round at which it is reached; then one per method with the mean over problems
    and its interval over them."""
    (data,) = collected
    table: list[dict] = []
    for method in map(str, data.asker.values):
        found = prices.break_evens(data, method)
        mean = mean_interval([price.mean for price, _ in found.values()])
        asked = sum(queries for _, queries in found.values()) / len(found)
        for name, (price, queries) in (*found.items(), ("all", (mean, asked))):
            table.append(
                {
                    "problem": name,
                    "asker": method,
                    **price.columns("price", ""),
                    "queries": queries,
                    "sample": "problems" if name == "all" else "runs",
                    "size": price.runs,
                }
            )
    return pd.DataFrame(table)
