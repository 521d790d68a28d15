"""The fitted and given parameters of every experiment, with units and bounds hit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results

MEANINGS = {
    "variance": "kernel variance $M_k^2$",
    "length_scale": "kernel length scale",
    "noise_variance": "observation noise variance $σ^2$",
    "epsilon": "forgetting rate of TV-GP-UCB",
    "alpha": "drift exponent of the uncertainty injection",
    "gamma": "weight decay of W-GP-UCB",
    "norm_bound": "bound $B$ on the RKHS norm",
    "prior_mean": "prior mean",
}


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, parameter)."""
    table = []
    for data in collected:
        fit = results.fit(data)
        kernel = fit.get("kernel", {})
        values = {k: v for k, v in kernel.items() if k != "name"} | fit
        units = fit.get("units", {})
        for key, meaning in MEANINGS.items():
            if key not in values or values[key] is None:
                continue
            table.append(
                {
                    "experiment": data.attrs["experiment"],
                    "data": data.attrs["data"],
                    "kernel": kernel.get("name", ""),
                    "parameter": key,
                    "meaning": meaning,
                    "value": np.mean(values[key]),  # a prior mean may have one value per site
                    "units": units.get(key, "").replace("^2", "$^2$"),
                    "origin": "estimated" if key in fit.get("estimated", []) else "given",
                    "bound_hit": "yes" if _hit(key, fit.get("bounds_hit", [])) else "no",
                    "training_points": fit.get("points", ""),
                }
            )
    columns = (
        "experiment",
        "data",
        "kernel",
        "parameter",
        "meaning",
        "value",
        "units",
        "origin",
        "bound_hit",
        "training_points",
    )
    return pd.DataFrame(table, columns=columns)


def _hit(key: str, bounds: list) -> bool:
    return any(str(entry).split()[0].split(":")[0] == key for entry in bounds)
