"""What the verdict on Mauduit25b's Fig. 2 depends on: shares of cells by factor and level."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.results import multiverse, variance


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row for all cells and one per factor and level: shares of cells by verdict.

    Of a factor also its share of the variance of the difference over all cells, by itself (first_order) and
    with others (total), and decides: the share of settings of all other factors in which its level changes
    confirmed to contradicted.
    """
    (data,) = collected
    means, verdicts = multiverse.table(data)
    alone, with_others = variance.first_order(means), variance.total(means)
    table = [{"factor": "all", "level": "", **_shares(verdicts)}]
    for factor in multiverse.FACTORS:
        of_factor = {
            "first_order": alone[factor],
            "total": with_others[factor],
            "decides": float(
                (
                    (verdicts == multiverse.CONFIRMED).any(factor)
                    & (verdicts == multiverse.CONTRADICTED).any(factor)
                ).mean()
            ),
        }
        table += [
            {
                "factor": factor,
                "level": multiverse.word(level),
                **_shares(verdicts.sel({factor: level})),
                **of_factor,
            }
            for level in means[factor].values.tolist()
        ]
    return pd.DataFrame(table)


def _shares(verdicts: xr.DataArray) -> dict[str, float]:
    played = verdicts.values[verdicts.values != ""]
    return {"cells": len(played)} | {
        verdict: float(np.mean(played == verdict)) for verdict in multiverse.VERDICTS
    }
