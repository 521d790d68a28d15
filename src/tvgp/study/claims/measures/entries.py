"""Reading results for measurements; NotComparable where the results lack an entry."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Measured, NotComparable
from tvgp.study.results.statistics import Estimate

Data = TypeVar("Data", xr.Dataset, xr.DataArray)


def at(data: Data, **where: float | str) -> Data:
    """The entry at these coordinates."""
    for name, value in where.items():
        if value not in data[name].values:
            raise NotComparable(f"not computed at {name} = {value}")
    return data.sel(where)


def need(part: xr.Dataset, *variants: str) -> None:
    """NotComparable unless all variants were run."""
    for variant in variants:
        if variant not in part.policy.values:
            raise NotComparable(f"variant {variant} was not run")


def nothing(part: xr.Dataset) -> Measured:
    """Nothing measures the claim, which names no experiment."""
    raise NotComparable(f"{results.name(part)} does not measure this")


def final_average(part: xr.Dataset, variant: str) -> np.ndarray:
    """R_T / T of every run or block of rounds, as `results.final_average`."""
    need(part, variant)
    return results.final_average(part, variant)


def average(part: xr.Dataset, variant: str) -> Estimate:
    """R_T / T with its interval, as `results.average`."""
    need(part, variant)
    return results.average(part, variant)
