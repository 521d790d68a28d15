"""Cost of readings on real fields, before the choice and after it: rules that stop, against fixed numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import causes
from tvgp.study.results.price_on_fields import FieldCosts

CHOSEN, WIDTH = "chosen", 0.5  # model and width where a part of the configuration does not say


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per field, setting (time of the model, width), rule and price, a share of the spread between
    sites: cost per round in the units of the field, regret and readings together, before the choice and after
    it, and `difference`, the first minus the second; and the ratio of the first to that of the best fixed
    number of hindsight before the choice, `number`, both with 95 % intervals over blocks of rounds. after:
    cost of the best fixed number after the choice, `number_after`. The field `all` has the geometric mean and
    the largest of the ratios of a rule at prices of .05, .1 and .2. three*: regret of three readings before
    the choice minus that of all sites read after it. informed: regret of who knows all values of the round
    before. places: distinct sites evaluated in a round. c, origin: of the model's logarithms, NaN without."""
    (data,) = collected
    table = pd.DataFrame([row for part in data.part.values for row in _of_part(data, str(part))])
    middle = table[table.price.between(0.05, 0.2)].groupby(["time", "width", "rule"], sort=False).ratio
    every = middle.agg(ratio=lambda ratios: np.exp(np.log(ratios).mean()), largest="max").reset_index()
    return pd.concat([table, every.assign(field="all", title="all fields")], ignore_index=True)


def _of_part(data: xr.Dataset, part: str) -> list[dict]:
    own, costs, found = data.sel(part=part), FieldCosts(data, part), []
    field = str(results.parameter(own, "dataset", part))
    setting = {
        "field": field,
        "title": causes.title(field),
        "units": causes.units(field),
        "time": results.parameter(own, "time", CHOSEN),
        "width": results.parameter(own, "width", WIDTH),
    }
    three, informed = costs.three_against_all(), float(costs.informed().mean())
    for rule in map(str, data.rule.values):
        for share in map(float, data.share.values):
            number, after = costs.best(share), costs.best(share, "after")
            ratio, difference = costs.ratio(rule, share), costs.difference(rule, share)
            found.append(
                setting
                | {
                    "rule": rule,
                    "price": share,
                    "queries_per_round": costs.per_round("queries", rule, share),
                    "places_per_round": costs.per_round("places", rule, share),
                    "cost": float(costs.rule(rule, share).mean()),
                    "queries_after": costs.per_round("queries", rule, share, "after"),
                    "places_after": costs.per_round("places", rule, share, "after"),
                    "cost_after": float(costs.rule(rule, share, "after").mean()),
                    **difference.columns("difference"),
                    "none": float(costs.fixed(0, share).mean()),
                    "every": float(costs.every(share).mean()),
                    "number": number,
                    "fixed": float(costs.fixed(number, share).mean()),
                    "number_after": after,
                    "after": float(costs.fixed(after, share, "after").mean()),
                    **ratio.columns("ratio", ""),
                    **three.columns("three"),
                    "informed": informed,
                    "blocks": ratio.runs,
                    "c": float(own.c),
                    "origin": float(own.origin),
                }
            )
    return found
