"""Mean rank of each variant over experiments (not over seeds, which are not independent
problems)."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.tables import regret


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per variant that is in every experiment, best mean rank first; ranks are among
    these variants, by mean average regret, at the main alpha, without the oracle and the best fixed
    arm, which know the future, and without those that ask before they choose."""
    parts = [results.at_alpha(data) for data in collected]
    shared = [
        name
        for name in results.variants(parts[0])
        if all(name in results.variants(p) and results.is_ranked(p, name) for p in parts)
    ]
    table: dict[str, dict] = {}
    for part in parts:
        frame = regret.rows([results.select(part, *shared).expand_dims("alpha")])
        if frame.empty:
            break
        for row in frame.itertuples():
            entry = table.setdefault(str(row.policy), {"policy": row.policy, "label": row.label})
            entry[part.attrs["experiment"]] = row.rank
    names = [part.attrs["experiment"] for part in parts]
    frame = pd.DataFrame(list(table.values()), columns=["policy", "label", *names])
    frame.insert(2, "mean_rank", frame[names].mean(axis=1))
    standins = sum(map(results.is_standin, parts))
    frame.insert(3, "experiments", len(parts))
    frame.insert(4, "of_these_standin", standins)
    return frame.sort_values(["mean_rank", "policy"], ignore_index=True)
