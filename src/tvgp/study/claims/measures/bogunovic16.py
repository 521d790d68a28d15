"""Measurements for Bogunovic16: rates in epsilon, fitted values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Measured, NotComparable, Printed, Trend, Vacuous, Within
from tvgp.study.claims.measures.entries import at, final_average
from tvgp.study.results.growth import TOLERANCE
from tvgp.study.results.statistics import Estimate, growth_values, least_mean, log_slope, mean_interval


def epsilon_slope(
    parts: Mapping[str, xr.Dataset], variant: str, rate: float, epsilons: Sequence[float]
) -> Measured:
    """Slope of log R_T/T on log epsilon over experiments that differ in epsilon only, `epsilons` in
    their order."""
    ours = log_slope(np.log(epsilons), [final_average(part, variant) for part in parts.values()])
    note = f"claimed exponent {rate:.3f}"
    return Measured(r"slope of $\log R_T/T$ on $\log ε$", ours, Trend(least=rate), note)


def last_function_slope(data: xr.Dataset, part: str) -> Measured:
    """Slope of log regret per round on log epsilon of the policy that knows f_{t-1}; at most 1 where
    regret is Omega(T epsilon)."""
    runs = at(data, part=part).regret.transpose("epsilon", "seed").values
    epsilons = data.epsilon.values
    ours = mean_interval(growth_values(runs.T, epsilons))  # draws are shared
    share = runs.mean(axis=1) / epsilons
    note = f"at most 1 + 0.05; $R_T / (T ε)$ from {share.min():.2g} to {share.max():.2g}"
    return Measured(
        r"slope of $\log R_T/T$ on $\log ε$, $f_{t-1}$ known", ours, Trend(most=1 + TOLERANCE), note
    )


def above_last_function(
    parts: Mapping[str, xr.Dataset], part: str, variants: Sequence[str], epsilons: Mapping[str, float]
) -> Measured:
    """Least average regret of these variants less that of the policy that knows f_{t-1}, over epsilon."""
    known = at(parts["last_function"], part=part).regret
    cases = [(name, epsilon, variant) for name, epsilon in epsilons.items() for variant in variants]
    ours, index = least_mean(
        [
            final_average(parts[name], variant) / at(known, epsilon=epsilon).mean("seed").item()
            for name, epsilon, variant in cases
        ]
    )
    name, epsilon, variant = cases[index]
    where = f"least for {results.label(parts[name], variant)}, $ε = {epsilon:g}$"
    return Measured("$R_T/T$ over that with $f_{t-1}$ known", ours, Within(least=1), where)


def below_general_bound(
    parts: Mapping[str, xr.Dataset], part: str, variant: str, bound: str, epsilons: Mapping[str, float]
) -> Measured:
    """Average regret where it is closest to a general bound; vacuous if the bound exceeds the largest regret
    met in any round at every epsilon."""
    table = at(parts["bogunovic_bounds"], part=part)
    limits = {
        name: float(at(table, epsilon=e)[bound]) / parts[name].sizes["round"] for name, e in epsilons.items()
    }
    shares = {name: final_average(parts[name], variant).mean() / limits[name] for name in limits}
    name = max(shares, key=lambda each: shares[each])
    vacuous = all(limits[each] >= results.largest_regret(parts[each]) for each in limits)
    ours = mean_interval(final_average(parts[name], variant))
    note = f"$ε = {epsilons[name]:g}$: bound / $T = {limits[name]:.3g}$"
    if bound == "tv_blocks":
        note += f" at $N = {int(at(table, epsilon=epsilons[name]).blocks)}$"
    claimed = Vacuous() if vacuous else Within(most=limits[name])
    return Measured("average regret $R_T/T$", ours, claimed, note)


def fitted(part: xr.Dataset, key: str, value: float, tolerance: float) -> Measured:
    """A fitted value, of one fit and so without an interval, against a printed one."""
    estimate = results.fit(part).get(key)
    if estimate is None:
        raise NotComparable(f"{key} was not fitted")
    ours = Estimate(float(estimate), np.nan, np.nan, 1)
    claimed = Printed(value, tolerance)
    return Measured(f"fitted {key.replace('_', ' ')}", ours, claimed, f"tolerance {tolerance:.0%}")


def fitted_epsilon(part: xr.Dataset, value: float, minutes: float, tolerance: float) -> Measured:
    """Fitted epsilon and its interval, converted to another time step by 1 - (1 - eps)^ratio."""
    fit = results.fit(part)
    interval = fit.get("intervals_95", {}).get("epsilon")
    if fit.get("epsilon") is None or interval is None:
        raise NotComparable("$ε$ was not fitted, or lies at a bound")
    times = part["time"].values.astype("datetime64[m]")
    step = float(np.diff(times).min() / np.timedelta64(1, "m"))
    mean, low, high = (1 - (1 - e) ** (minutes / step) for e in (fit["epsilon"], *interval))
    ours = Estimate(mean, low, high, part.sizes["seed"])
    note = f"tolerance {tolerance:.0%}; from {step:g} minutes; the interval holds model and covariance fixed"
    return Measured(f"$ε$ for {minutes} minutes", ours, Printed(value, tolerance), note)
