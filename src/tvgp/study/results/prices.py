"""Regret of methods that ask, by their number of queries, and the prices at which queries pay.

Of the analysis `price_of_queries`, in shares of the regret of uniformly random play.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import xarray as xr

from tvgp.study.results.statistics import Estimate, mean_interval
from tvgp.study.results.tuning import chosen, held_out

_TUNED = ["drift", "width"]
REFERENCE = "tv"  # whose curve is compared with at equal numbers of queries
LABELS: Mapping[str, str] = MappingProxyType(
    {
        "tv": "TV-GP-UCB, one by one",
        "st": "ST-GP-UCB, one by one",
        "gp": "GP-UCB, one by one",
        "sparq_gp_ucb": "SparQ",
        "w_sparq_gp_ucb": "W-SparQ",
        "aw_sparq_gp_ucb": "AW-SparQ",
    }
)


def curves(part: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Regret and queries per round (asker, level, seed) of each run, tuned on the others."""
    scaled = part.regret / part.random
    regret, queries = held_out(scaled, _TUNED, part.queries)
    return regret.transpose("asker", "level", "seed"), queries.transpose("asker", "level", "seed")


def without(part: xr.Dataset) -> np.ndarray:
    """Regret of each run of the best method without queries, tuned on the others, (seed,)."""
    free = (part.regret / part.random).where(part.amount == 0)
    return held_out(free, ["asker", "level", *_TUNED])[0].values


def prices(part: xr.Dataset) -> xr.DataArray:
    """What a query saves, (asker, level, seed): regret without any less that with them, over their number."""
    regret, queries = curves(part)
    free = xr.DataArray(without(part), dims="seed")
    return ((free - regret) / queries).where(queries > 0).transpose("asker", "level", "seed")


def break_even(part: xr.Dataset, method: str) -> tuple[Estimate, float]:
    """The largest price at which a method's queries pay, and their number a round; for each run, the level
    that is best for the others."""
    price = prices(part).sel(asker=method).values
    queries = curves(part)[1].sel(asker=method).values
    best = chosen(-price), np.arange(price.shape[1])
    return mean_interval(price[best]), float(queries[best].mean())


def break_evens(data: xr.Dataset, method: str) -> dict[str, tuple[Estimate, float]]:
    """`break_even` of a method by problem, of those in which it was played."""
    return {
        str(name): break_even(data.sel(part=name), method)
        for name in data.part.values
        if data.regret.sel(part=name, asker=method).notnull().any()
    }


def against(part: xr.Dataset, method: str, level: int) -> Estimate | None:
    """Regret of a method less that of `REFERENCE` with as many queries, by linear interpolation in each run.
    None where the reference did not ask as many."""
    regret, queries = curves(part)
    asked, runs = queries.sel(asker=REFERENCE).values, regret.sel(asker=REFERENCE).values
    played = np.isfinite(runs).all(axis=1)
    own, numbers = regret.sel(asker=method).values[level], queries.sel(asker=method).values[level]
    if (numbers > asked[played].max(axis=0)).any() or not np.isfinite(own).all():
        return None
    rivals = [
        np.interp(number, asked[played, s], runs[played, s]) for s, number in enumerate(numbers.tolist())
    ]
    return mean_interval(own - rivals)
