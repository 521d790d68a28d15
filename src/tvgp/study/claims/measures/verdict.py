"""From a measurement to a verdict: how an interval speaks to a claim."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.results.statistics import Estimate

VERDICTS = ("confirmed", "contradicted", "inconclusive", "vacuous", "not comparable")


class NotComparable(Exception):
    """A claim that these results cannot speak to; the message says why."""


def at(data: xr.Dataset | xr.DataArray, **where):
    """The entry at these coordinates; NotComparable where the results have none."""
    for name, value in where.items():
        if value not in data[name].values:
            raise NotComparable(f"not computed at {name} = {value}")
    return data.sel(**where)


def sign(ours: Estimate, above: bool = False) -> str:
    """Verdict on "less than 0" (or, with `above`, "more than 0")."""
    low, high = (-ours.high, -ours.low) if above else (ours.low, ours.high)
    if high < 0:
        return "confirmed"
    return "contradicted" if low > 0 else "inconclusive"


def against_value(ours: Estimate, value: float, tolerance: float) -> tuple[str, str]:
    """Verdict and note: within the relative tolerance, or the interval holds the value."""
    near = abs(ours.mean - value) <= tolerance * abs(value)
    held = ours.low <= value <= ours.high
    note = f"tolerance {tolerance:.0%}"
    return ("confirmed" if near or held else "contradicted"), note


def shifted(ours: Estimate, by: float) -> Estimate:
    """The estimate of a quantity plus a constant."""
    return Estimate(ours.mean + by, ours.low + by, ours.high + by, ours.runs)


def finite_or(value: float, otherwise: float) -> float:
    """The value, or another where it is NaN or infinite."""
    return value if np.isfinite(value) else otherwise


def exactly(value: float) -> Estimate:
    """What was computed, not sampled: no interval, no runs."""
    return Estimate(float(value), np.nan, np.nan, 0)
