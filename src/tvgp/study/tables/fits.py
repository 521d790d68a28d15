"""The fitted and given parameters of every experiment, with units, bounds hit and doubts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

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
# Models fitted beside that of an experiment, for variants that play under them.
MODELS = {"field": "field's model", "chosen": "chosen model"}
_FOREVER = 1e6  # rounds from which on a half-life is that of a function that does not change


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, parameter), those of the models field and chosen with their names before.

    low, high: 95 % interval of a value estimated by likelihood, NaN without; doubt: what the data do not tell
    of a half-life.
    """
    table = []
    for data in collected:
        fit = results.fit(data)
        kernel = fit.get("kernel", {})
        values = {k: v for k, v in kernel.items() if k != "name"} | fit
        units = fit.get("units", {})
        for key, meaning in MEANINGS.items():
            if key not in values or values[key] is None:
                continue
            low, high = fit.get("intervals_95", {}).get(key, (np.nan, np.nan))
            table.append(
                {
                    "experiment": data.attrs["experiment"],
                    "data": data.attrs["data"],
                    "kernel": kernel.get("name", ""),
                    "parameter": key,
                    "meaning": meaning,
                    "value": np.mean(values[key]),  # a prior mean may have one value per site
                    "low": low,
                    "high": high,
                    "units": units.get(key, "").replace("^2", "$^2$"),
                    "origin": "estimated" if key in fit.get("estimated", []) else "given",
                    "bound_hit": "yes" if _hit(key, fit.get("bounds_hit", [])) else "no",
                    "training_points": fit["points"] - fit.get("gaps_filled", 0) if "points" in fit else "",
                    "doubt": "",
                }
            )
        table += [row for model in MODELS if model in fit for row in _of_model(data, fit, model)]
    return pd.DataFrame(table)


def _of_model(data: xr.Dataset, fit: Mapping[str, Any], model: str) -> Iterator[dict[str, Any]]:
    """Rows of the model field or chosen: half-lives of its parts, the slow one's share, noise, a scale."""
    own, time = fit[model], results.round_label(data)
    q, lengths = own["slow_share"], {"fast": own["l_fast"], "slow": own["l_slow"]}
    values = [
        (f"half_life_{part}", f"half-life of the {part} part", math.log(2.0) * length, time)
        for part, length in lengths.items()
        if length < _FOREVER and (q or part == "fast")
    ]
    values += [("slow_share", "share of the slow part", q, "1")] if q else []
    noise = fit.get("units", {}).get("noise_variance", "").replace("^2", "$^2$")
    values.append(("noise_variance", MEANINGS["noise_variance"], own["noise_variance"], noise))
    if scale := own.get("log_scale"):
        for key, meaning, value in zip(("log_scale", "log_origin"), ("$c$", "origin"), scale, strict=True):
            values.append((key, f"{meaning} of the logarithmic scale of rewards", value, results.units(data)))
    for key, meaning, value, units in values:
        part = key.removeprefix("half_life_")
        ends = own.get("half_lives", {}).get(part, (value, np.nan, np.nan))[1:]
        low, high = (np.inf if end is None else end for end in ends)
        yield {
            "experiment": data.attrs["experiment"],
            "data": data.attrs["data"],
            "kernel": own.get("name", "empirical"),
            "parameter": f"{model}_{key}",
            "meaning": f"{MODELS[model]}: {meaning}",
            "value": value,
            "low": low,
            "high": high,
            "units": units,
            "origin": "estimated",
            "bound_hit": "yes" if _hit(key.replace("half_life", "l"), own.get("bounds_hit", [])) else "no",
            "training_points": "",
            "doubt": "; ".join(each for each in own.get("doubts", []) if f" {part} part " in each),
        }


def _hit(key: str, bounds: list[str]) -> bool:
    return any(hit.split()[0] == key for hit in bounds)
