"""Average regret on boxes whose rewards move."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per problem and contender; see `row`."""
    (data,) = collected
    found = []
    for name in data.part.values:
        regret = data.regret.sel(part=name).transpose("contender", "seed", "round")
        regret = regret.dropna("contender", how="all").dropna("round", how="all")
        found += [
            row(str(name), str(each), regret.sel(contender=each).values) for each in regret.contender.values
        ]
    return pd.DataFrame(found)


def row(problem: str, contender: str, regret: np.ndarray) -> dict:
    """R_T / T of a contender over runs, with a 95 % interval, and that of the last fifth of the rounds, from
    its regret (seed, round)."""
    average = mean_interval(regret.mean(axis=1))
    return {
        "problem": problem,
        "contender": contender,
        "rounds": regret.shape[1],
        "runs": len(regret),
        **average.columns("regret"),
        "late": float(regret[:, -(-regret.shape[1] * 4 // 5) :].mean()),
    }
