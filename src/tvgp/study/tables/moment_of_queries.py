"""Queries before the choice against the same rule after it: rule, number or price, model and width.

Runs of the same seed have the same function and noise, so differences are taken run by run.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results.statistics import mean_interval

# Where a part of the configuration does not say.
MODEL, EPSILON, WIDTH = "tv", 0.03, 1.0


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per part and rule, with its number of queries a round or its price as a share of the regret of
    random play. `after`, `before`: regret per round, plus price times queries for a rule with a price, over
    the regret of random play; `difference`: before - after, with a 95 % interval; places: distinct arms
    evaluated in a round, by queries or by the play; SparQ's subsets have a posterior of their own, not
    `model`."""
    (data,) = collected
    table = []
    for name in data.part.values:
        part = data.sel(part=name)
        setting = {
            "part": str(name),
            "problem": results.parameter(part, "problem", ""),
            "model": results.parameter(part, "model", MODEL),
            "epsilon": results.parameter(part, "epsilon", EPSILON),
            "width": results.parameter(part, "width", WIDTH),
        }
        table += [setting | row for row in _of_part(part)]
    return pd.DataFrame(table)


def _of_part(part: xr.Dataset) -> Iterator[dict]:
    for asker in part.asker.values:
        yield from _row(part.sel(asker=asker), "subset", str(asker))
    for number in part.number.values:
        yield from _row(part.sel(number=number), "fixed", "upper_bound", number=int(number))
    for rule in part.rule.values:
        for share in part.share.values:
            yield from _row(part.sel(rule=rule, share=share), "rule", str(rule), price=float(share))


def _row(
    runs: xr.Dataset, kind: str, rule: str, number: float = np.nan, price: float = np.nan
) -> Iterator[dict]:
    """A row, unless the part does not play the rule."""
    queries = runs[f"{kind}_queries"].transpose("moment", "seed")
    cost = runs[f"{kind}_regret"].transpose("moment", "seed") / runs.random
    cost = cost + (0.0 if np.isnan(price) else price) * queries
    after, before = (cost.sel(moment=moment).values for moment in ("after", "before"))
    if np.isfinite(after).all():
        difference = mean_interval(before - after)
        yield {
            "rule": rule,
            "number": number,
            "price": price,
            "after": after.mean(),
            "before": before.mean(),
            **difference.columns("difference", ""),
            **{
                f"{what}_{moment}": float(runs[f"{kind}_{what}"].sel(moment=moment).mean())
                for what in ("queries", "places")
                for moment in ("after", "before")
            },
            "runs": len(after),
        }
