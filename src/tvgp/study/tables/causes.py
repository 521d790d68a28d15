"""Model, method, width and queries on real fields: every cell of the analysis `causes`, with intervals."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import causes


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per field and cell: regret with its 95 % interval over blocks of rounds, and its difference to
    TV-GP-UCB as published, blocks paired."""
    (data,) = collected
    return pd.DataFrame(
        [
            _row(str(part), own, cell)
            for part in data.part.values
            for own in [causes.field(data, part)]
            for cell in causes.cells(own, causes.block_length(own))
        ]
    )


def _row(part: str, own: xr.Dataset, cell: dict) -> dict:
    regret, difference = cell["regret"], cell["difference"]
    return {
        "field": part,
        "policy": cell.get("policy", "pandora_gp_ucb"),
        **{cause: cell[cause] for cause in causes.MODEL},
        "width": cell["width"],
        "moment": cell.get("moment", "after"),
        "queries_per_round": cell["queries"],
        **regret.columns("average_regret", ""),
        **difference.columns("difference"),
        "blocks": regret.runs,
        "block_length": own.sizes["round"] // regret.runs,
    }
