"""How often |mu - f| <= width x sigma holds, policy by policy, from the analysis `coverage`."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import presentation
from tvgp.study.results.statistics import mean_interval

DELTA = 0.05


def shares(data: xr.Dataset) -> pd.DataFrame:
    """One row per policy; 95 % intervals of the mean over runs.

    arms: share of all (round, arm); played: of the arms played; rounds: of rounds with all arms
    inside; always: of runs in which every arm is inside in every round; width: mean number before
    sigma.
    """
    table = []
    for part in data.part.values:
        selected = data.sel(part=part).transpose("seed", "round")
        row: dict[str, object] = {"policy": str(part), "method": presentation.label(str(part))}
        kinds = (("arms", "covered"), ("played", "played"), ("rounds", "everywhere"))
        for name, variable in kinds:
            share = mean_interval(selected[variable].values.mean(axis=1))
            row |= share.columns(name)
        row["always"] = float(selected.everywhere.values.all(axis=1).mean())
        row["width"] = float(selected.width.values.mean())
        row["runs"] = selected.sizes["seed"]
        table.append(row)
    return pd.DataFrame(table)
