"""Which model of a real field is chosen from its training part, and what a better choice would have saved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import xarray as xr

from tvgp.study.results import causes
from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per field and rule: the model that it chooses, and the regret of Field-GP-UCB under it in the
    test part, with a 95 % interval over blocks of rounds; shortfall: that regret minus the least under any
    model, which only hindsight knows, over the regret of random play. The field `all` has the mean shortfall
    and what it exceeds that of the predictive likelihood by, with the 95 % interval of a mean over fields.
    """
    (data,) = collected
    table = []
    for part in map(str, data.part.values):
        own = causes.field(data, part)
        named = {"field": part, "title": causes.title(part), "units": causes.units(part)}
        for found in causes.choices(own, causes.block_length(own)):
            regret = found.pop("regret")
            table.append({**named, **found, **regret.columns("average_regret", "")})
    frame = pd.DataFrame(table)
    return pd.concat([frame, pd.DataFrame(_over_fields(frame))], ignore_index=True)


def _over_fields(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """A row for each rule."""
    by_rule = frame.pivot(index="field", columns="rule", values="shortfall")
    for rule in frame.rule.unique():
        excess = mean_interval((by_rule[rule] - by_rule.likelihood).dropna().to_numpy())
        yield {
            "field": "all",
            "title": "all fields",
            "rule": rule,
            "shortfall": by_rule[rule].mean(),
            **excess.columns("excess"),
        }
