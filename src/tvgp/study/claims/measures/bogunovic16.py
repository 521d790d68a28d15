"""Measurements for Bogunovic16: rates in epsilon, fitted values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Measured, NotComparable, Printed, Trend
from tvgp.study.claims.measures.entries import final_average
from tvgp.study.results.statistics import Estimate, log_slope


def epsilon_slope(
    parts: Mapping[str, xr.Dataset], variant: str, rate: float, epsilons: Sequence[float]
) -> Measured:
    """Slope of log R_T/T on log epsilon over experiments that differ in epsilon only, `epsilons` in
    their order."""
    ours = log_slope(np.log(epsilons), [final_average(part, variant) for part in parts.values()])
    note = f"claimed exponent {rate:.3f}"
    return Measured("slope of log R_T/T on log epsilon", ours, Trend(least=rate), note)


def fitted(part: xr.Dataset, key: str, value: float, tolerance: float) -> Measured:
    """A fitted value against a printed one."""
    estimate = results.fit(part).get(key)
    if estimate is None:
        raise NotComparable(f"{key} was not fitted")
    ours = Estimate.exact(float(estimate))
    claimed = Printed(value, tolerance)
    return Measured(f"fitted {key.replace('_', ' ')}", ours, claimed, f"tolerance {tolerance:.0%}")


def fitted_epsilon(part: xr.Dataset, value: float, minutes: float, tolerance: float) -> Measured:
    """Fitted epsilon and its interval, converted to another time step by 1 - (1 - eps)^ratio."""
    fit = results.fit(part)
    interval = fit.get("intervals_95", {}).get("epsilon")
    if fit.get("epsilon") is None or interval is None:
        raise NotComparable("epsilon was not fitted, or lies at a bound")
    times = part["time"].values.astype("datetime64[m]")
    step = float(np.diff(times).min() / np.timedelta64(1, "m"))
    mean, low, high = (1 - (1 - e) ** (minutes / step) for e in (fit["epsilon"], *interval))
    ours = Estimate(mean, low, high, part.sizes["seed"])
    note = f"tolerance {tolerance:.0%}; from {step:g} minutes; the interval holds model and covariance fixed"
    return Measured(f"epsilon for {minutes} minutes", ours, Printed(value, tolerance), note)
