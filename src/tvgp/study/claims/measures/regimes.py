"""Measurements for the regimes of Mauduit25b: growth exponents and query schedules.

`no_faster` and `no_slower` are the comparisons of Tables 1 and 2 as well (`tvgp.study.tables.regimes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Comparison, Holds, Measured, NotComparable, Trend, Vacuous
from tvgp.study.results import growth as exponents
from tvgp.study.results.statistics import Estimate
from tvgp.theory import bounds

GROWTH_BOUNDS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "gp_ucb": bounds.regret_bound_gp_ucb,
    "sparq": lambda t, alpha: bounds.regret_bound_sparq_2025b(t),
    "w_sparq": lambda t, alpha: bounds.regret_bound_w_sparq(t),
    "w_sparq_printed": lambda t, alpha: bounds.regret_bound_w_sparq(t, rooted=False),
}


def growth(
    part: xr.Dataset,
    methods: Sequence[str],
    alpha: float,
    bound: str = "",
) -> Measured:
    """Growth exponent in a test bed, of the method with the least, against that of a bound over
    the same decade where one is named."""
    least = exponents.least(part, methods, alpha)
    if least is None:
        raise NotComparable(f"not run at $α = {alpha:g}$")
    ours, label = least
    first, last = exponents.span(part)
    quantity = f"growth exponent of {label}, $t = {int(first)}$ to {int(last)}"
    return Measured(quantity, ours, *(no_faster(bound, alpha, first, last) if bound else (None,)))


def no_faster(bound: str, alpha: float, first: float, last: float) -> tuple[Comparison, str]:
    """The claim that regret grows no faster than a bound does from T = `first` to `last`, logarithms
    included, to within `growth.TOLERANCE`; vacuous where linear growth would agree, and no bounded regret per
    round grows faster in the long run. And a note."""
    values = GROWTH_BOUNDS[bound](np.array([first, last]), alpha)
    slope = float(np.log(values[1] / values[0]) / np.log(last / first))
    limit = slope + exponents.TOLERANCE
    if limit >= 1:
        return (
            Vacuous(),
            f"the bound's own slope, with logarithms, is {slope:.3g}; {_below_linear(bound, alpha)}",
        )
    return Trend(most=limit), f"threshold {limit:.3g}: the bound's own slope, with logarithms, + 0.05"


def _below_linear(bound: str, alpha: float) -> str:
    """From which T on the bound grows slower than T, in words."""
    rounds = np.geomspace(10, 1e60, 591)  # ten to a decade
    values = np.log(GROWTH_BOUNDS[bound](rounds, alpha))
    linear = np.diff(values) >= np.diff(np.log(rounds))
    if linear[-1]:
        return "it never falls below 1"
    return f"below 1 from $T = {rounds[np.flatnonzero(linear)[-1] + 1]:.0e}$ on"


def no_slower(exponent: float, worst_case: bool = True) -> Trend:
    """The claim that regret grows at least as T^exponent, to within `growth.TOLERANCE`; worst_case: see
    `Trend`."""
    return Trend(least=exponent - exponents.TOLERANCE, worst_case=worst_case)


def few_queries(part: xr.Dataset, alpha: float) -> Measured:
    """Least growth exponent over the cells of a phase diagram with p <= alpha/(alpha + 1)."""
    if alpha not in part.alpha.values:
        raise NotComparable(f"not run at $α = {alpha:g}$")
    cell = exponents.least_cell(part, part.part.values, alpha, most=float(bounds.query_threshold(alpha)))
    if cell is None:
        raise NotComparable("no query exponent was run that is small enough")
    ours, procedure, p = cell
    claimed = no_slower(1.0)
    note = f"linear = {claimed.least:g} or more; least at $p = {p:g}$, procedure {procedure}"
    return Measured("growth exponent over horizons", ours, claimed, note)


def vanishing_schedule(part: xr.Dataset, alpha: float, first: int, last: int) -> Measured:
    """N_T/T of W-SparQ's schedule at a late horizon over that at an earlier one; exact."""
    rounds = part["round"].values
    if alpha not in part.alpha.values or rounds[-1] < last:
        raise NotComparable("the schedule was not counted to this horizon")
    asked = part.w_sparq.isel(part=0).sel(alpha=alpha)
    early, late = (asked.sel(round=t, method="nearest") for t in (first, last))
    rates = [float(n) / float(n["round"]) for n in (early, late)]
    ratio = rates[1] / rates[0]
    ours = Estimate.exact(ratio)
    note = f"{rates[0]:.3g} per round at $T = {first:g}$, {rates[1]:.3g} at $T = {last:g}$"
    return Measured("queries per round, late over early", ours, None, note)


def vanishes(alpha: float) -> Holds:
    """The claim that N_T/T tends to 0, as log T / T^(alpha_tilde/alpha), though it rises up to a T of which
    the logarithm is alpha/alpha_tilde."""
    return Holds(float(bounds.w_sparq_query_exponent(alpha)) < 1.0)


def counted(part: xr.Dataset, alpha: float | None, horizon: int, value: int) -> Measured:
    """N_T of a schedule, exact; alpha None: SparQ's."""
    if horizon not in part["round"].values or not (alpha is None or alpha in part.alpha.values):
        raise NotComparable("not counted at this horizon and $α$")
    asked = (part.sparq if alpha is None else part.w_sparq.sel(alpha=alpha)).isel(part=0)
    count = float(asked.sel(round=horizon))
    return Measured("$N_T$ of the schedule", Estimate.exact(count), Holds(count == value), "exact")


def bound_at_horizon(part: xr.Dataset, alpha: float, bound: str) -> Measured:
    """A bound with constant 1 at the last round, over 2 M_k B in every round."""
    last = part["round"].values[-1].astype(float)
    share = float(GROWTH_BOUNDS[bound](np.array(last), alpha) / bounds.largest_regret(np.array(last)))
    return Measured("bound over $2 M_k B T$", Estimate.exact(share), Holds(share > 1), f"$T = {last:g}$")
