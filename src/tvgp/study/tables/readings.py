"""Cost of Pandora's index on real fields, over that of the best fixed number of readings.

A cost is average regret plus price times readings per round; the variants are those of
`tvgp.study.results.readings`.
"""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results import readings

COLUMNS = (
    *("experiment", "data", "policy", "price", "readings_per_round", "cost"),
    *("best_number", "ratio", "low", "high", "units", "sample"),
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per experiment and price: `ratio` of the costs with a 95 % interval over paired runs or blocks
    of rounds (`sample`); `best_number`: of readings before the choice, the least costly in hindsight."""
    table = []
    for data in collected:
        part = results.at_alpha(data)
        for name in results.variants(part):
            if (price := readings.price(name)) is None:
                continue
            ratio, number = readings.cost_ratio(part, name, price)
            cost = results.costs(part, name, price).mean()
            key = (part.attrs["experiment"], part.attrs["data"], name, price)
            numbers = (readings.per_round(part, name), cost, number, ratio.mean, ratio.low, ratio.high)
            sample = results.sample_words(part, ratio.runs)
            table.append((*key, *numbers, results.units(part), sample))
    return pd.DataFrame(table, columns=COLUMNS)
