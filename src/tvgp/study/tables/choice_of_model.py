"""Which model of a real field is chosen from its training part, and what a better choice would have saved."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import causes


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per field and rule: the model that it chooses, and the regret of Field-GP-UCB under it in the
    test part, with a 95 % interval over blocks of rounds; shortfall: that regret minus the least under any
    model, which only hindsight knows, over the regret of random play. The field `all` has the mean shortfall.
    """
    (data,) = collected
    table = []
    for part in map(str, data.part.values):
        own = causes.field(data, part)
        named = {"field": part, "title": causes.title(part), "units": causes.units(part)}
        for found in causes.choices(own, causes.block_length(own)):
            regret = found.pop("regret")
            ends = {"average_regret": regret.mean, "low": regret.low, "high": regret.high}
            table.append({**named, **found, **ends})
    frame = pd.DataFrame(table)
    means = frame.groupby("rule", sort=False).shortfall.mean().reset_index()
    return pd.concat([frame, means.assign(field="all", title="all fields")], ignore_index=True)
