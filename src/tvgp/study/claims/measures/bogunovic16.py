"""Measurements for Bogunovic16: rates in epsilon, fitted values."""

from __future__ import annotations

import numpy as np

from tvgp import streams
from tvgp.study import results
from tvgp.study.claims import bogunovic16
from tvgp.study.claims.measures.study import final_average
from tvgp.study.claims.measures.verdict import NotComparable, against_value, shifted, sign
from tvgp.study.results.statistics import Estimate, log_slope


def epsilon_slope(parts, variant, rate):
    """Slope of log R_T/T on log epsilon over experiments that differ in epsilon only."""
    epsilons = {name: bogunovic16.EPSILONS[name.rpartition("_e")[2]] for name in parts}
    names = sorted(parts, key=epsilons.__getitem__)
    rng = streams.generator("epsilon_slope", *names, variant)
    ours = log_slope(
        np.log([epsilons[name] for name in names]),
        [final_average(parts[name], variant) for name in names],
        rng,
    )
    quantity = "slope of log R_T/T on log epsilon"
    return quantity, ours, sign(shifted(ours, -rate), above=True), f"claimed exponent {rate:.3f}"


def fitted(part, key, value, tolerance):
    """A fitted value against a printed one."""
    found = results.fit(part).get(key)
    if found is None:
        raise NotComparable(f"{key} was not fitted")
    ours = Estimate(float(found), np.nan, np.nan, part.sizes["seed"])
    return f"fitted {key.replace('_', ' ')}", ours, *against_value(ours, value, tolerance)


def fitted_epsilon(part, value, minutes):
    """Fitted epsilon and its interval, brought to another time step by 1 - (1 - eps)^ratio."""
    fit = results.fit(part)
    interval = fit.get("intervals_95", {}).get("epsilon")
    if fit.get("epsilon") is None or interval is None:
        raise NotComparable("epsilon was not fitted, or lies at a bound")
    times = part["time"].values.astype("datetime64[m]")
    step = float(np.diff(times).min() / np.timedelta64(1, "m"))
    mean, low, high = (1 - (1 - e) ** (minutes / step) for e in (fit["epsilon"], *interval))
    ours = Estimate(mean, low, high, part.sizes["seed"])
    verdict = "confirmed" if low <= value <= high else "contradicted"
    note = f"from {step:g} minutes; the interval holds the model and the covariance fixed"
    return f"epsilon for {minutes} minutes", ours, verdict, note


KINDS = (epsilon_slope, fitted, fitted_epsilon)
