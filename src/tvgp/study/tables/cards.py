"""The card of every experiment: how its rewards change, and the regret of never changing the arm.

Computed from the environment or the data (`tvgp.study.collect.card`), not from any method's runs.
"""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results

_LISTED = 5  # most change points that are named


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per experiment; see `tvgp.study.collect.card.of` for the columns."""
    return pd.DataFrame(map(row, collected))


def row(data: xr.Dataset) -> dict:
    """The card of one experiment as a row."""
    card = results.card(data)
    changes = card["change_points"]
    listed = ", ".join(map(str, changes[:_LISTED])) + (", ..." if len(changes) > _LISTED else "")
    sizes = ("realisations", "best_fixed_regret", "uniform_regret", "mean_optimum")
    changing = ("optimum_moves", "path_length", "sup_variation", "rkhs_variation", "period")
    return {
        "experiment": data.attrs["experiment"],
        "title": results.title(data),
        "data": data.attrs["data"],
        "rounds": data.sizes["round"],
        "arms": data.sizes["arm"],
        **{key: card[key] for key in sizes},
        "optimum": "moves" if card["optimum_moves"] else "never moves",
        **{key: card[key] for key in changing},
        "changes": len(changes),
        "change_points": listed,
        "units": results.units(data),
    }
