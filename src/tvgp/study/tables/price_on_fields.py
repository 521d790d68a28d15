"""Cost of readings before the choice on real fields: rules that stop, against the best fixed number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.results import causes
from tvgp.study.results.price_on_fields import FieldCosts


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per field, rule and price, a share of the spread between sites: cost per round in the units of
    the field, regret and readings together, and its ratio to that of the best fixed number of hindsight,
    `number`, with a 95 % interval over blocks of rounds. after: cost of the best fixed number after the
    choice, `number_after`. The field `all` has the geometric mean and the
    largest of the ratios of a rule at prices of .05, .1 and .2. three*: regret of three readings before the
    choice minus that of all sites read after it. c, origin: of the model's logarithms, NaN without."""
    (data,) = collected
    table = [row for part in data.part.values for row in _of_field(data, str(part))]
    for rule in data.rule.values:
        ratios = [row["ratio"] for row in table if row["rule"] == rule and 0.05 <= row["price"] <= 0.2]
        ends = {"ratio": float(np.exp(np.log(ratios).mean())), "largest": max(ratios)}
        table.append({"field": "all", "title": "all fields", "rule": str(rule), **ends})
    return pd.DataFrame(table)


def _of_field(data: xr.Dataset, part: str) -> list[dict]:
    costs, found = FieldCosts(data, part), []
    three = costs.three_against_all()
    for rule in map(str, data.rule.values):
        for share in map(float, data.share.values):
            ratio, number, after = costs.ratio(rule, share), costs.best(share), costs.best(share, "after")
            found.append(
                {
                    "field": part,
                    "title": causes.title(part),
                    "units": causes.units(part),
                    "rule": rule,
                    "price": share,
                    "queries_per_round": costs.queries(rule, share),
                    "cost": float(costs.rule(rule, share).mean()),
                    "none": float(costs.fixed(0, share).mean()),
                    "number": number,
                    "fixed": float(costs.fixed(number, share).mean()),
                    "number_after": after,
                    "after": float(costs.fixed(after, share, "after").mean()),
                    **ratio.columns("ratio", ""),
                    **three.columns("three"),
                    "blocks": ratio.runs,
                    "c": float(data.c.sel(part=part)),
                    "origin": float(data.origin.sel(part=part)),
                }
            )
    return found
