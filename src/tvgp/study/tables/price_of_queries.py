"""Regret against queries per round, all methods tuned, and what a query saves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.results import prices
from tvgp.study.results.statistics import Estimate, mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per problem, method and amount (a number a round, or the scale c in Q_t = ceil(c log t)).

    In shares of the regret of random play, with 95 % intervals over runs: regret; price, what a query saves
    against the best method without any; against_tv, regret less that of TV-GP-UCB, one by one, with as many
    queries.
    """
    (data,) = collected
    return pd.DataFrame(row for name in data.part.values for row in _of_part(str(name), data.sel(part=name)))


def _of_part(name: str, part: xr.Dataset) -> Iterator[dict]:
    (regret, queries), saved = prices.curves(part), prices.prices(part)
    for method in map(str, part.asker.values):
        for level, amount in enumerate(part.amount.sel(asker=method).values.tolist()):
            if np.isfinite(amount):
                at = {"asker": method, "level": level}
                against = prices.against(part, method, level) or Estimate.exact(np.nan)
                yield {
                    "problem": name,
                    "asker": method,
                    "amount": amount,
                    "queries": float(queries.sel(at).mean()),
                    "runs": part.sizes["seed"],
                    **mean_interval(regret.sel(at).values).columns("regret"),
                    **mean_interval(saved.sel(at).values).columns("price"),  # NaN without a query
                    **against.columns("against_tv"),
                }
