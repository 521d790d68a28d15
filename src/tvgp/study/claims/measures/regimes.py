"""Measurements for the regimes of Mauduit25b: growth exponents and query schedules."""

from __future__ import annotations

import numpy as np

from tvgp.study.claims.measures.verdict import NotComparable, shifted, sign
from tvgp.study.results import growth as regimes
from tvgp.study.results.statistics import Estimate, mean_interval
from tvgp.theory import bounds

_WORST = "slower here, but a lower bound is for the worst function and these are drawn at random"

GROWTH_BOUNDS = {
    "gp_ucb": bounds.regret_bound_gp_ucb,
    "sparq": lambda t, alpha: bounds.regret_bound_sparq_2025b(t),
    "w_sparq": lambda t, alpha: bounds.regret_bound_w_sparq(t),
}


def growth(part, methods, alpha, bound=None, at_least=None):
    """Growth exponent in a test bed, of the method with the least, against that of a bound over
    the same decade (no more than it), or against `at_least`; to within `regimes.TOLERANCE`."""
    found = {m: regimes.exponent(part, m, alpha) for m in methods if _in_bed(part, m, alpha)}
    if not found:
        raise NotComparable(f"not run at alpha = {alpha:g}")
    best = min(found, key=lambda m: found[m].mean)
    ours, last = found[best], int(part["round"].values[-1])
    name = regimes.LABELS.get(best, best)
    quantity = f"growth exponent of {name}, t = {last // regimes.DECADE} to {last}"
    if at_least is not None:
        limit, above = at_least - regimes.TOLERANCE, True
        note = f"at least {limit:g} asked for"
    else:
        values = GROWTH_BOUNDS[bound](np.array([last / regimes.DECADE, last]), alpha)
        limit, above = float(np.log10(values[1] / values[0])) + regimes.TOLERANCE, False
        note = f"at most {limit:.3g} asked for: the bound's own slope, with logarithms, + 0.05"
        if values[1] > bounds.largest_regret(last):
            return quantity, ours, "vacuous", f"bound / T = {values[1] / last:.3g}, constant 1"
    verdict = sign(shifted(ours, -limit), above=above)
    if above and verdict == "contradicted":
        return quantity, ours, "inconclusive", f"{note}; {_WORST}"
    return quantity, ours, verdict, note


def few_queries(part, alpha):
    """Least growth exponent over the cells of a phase diagram with p <= alpha/(alpha + 1)."""
    if alpha not in part.alpha.values:
        raise NotComparable(f"not run at alpha = {alpha:g}")
    found = {
        (str(name), float(p)): regimes.cell_exponent(part, str(name), alpha, float(p))
        for name in part.part.values
        for p in part.query_exponent.values
        if p <= bounds.query_threshold(alpha)
    }
    if not found:
        raise NotComparable("no query exponent was run that is small enough")
    best = min(found, key=lambda cell: found[cell].mean)
    limit = 1 - regimes.TOLERANCE
    verdict = sign(shifted(found[best], -limit), above=True)
    verdict = "inconclusive" if verdict == "contradicted" else verdict
    note = f"linear = {limit:g} or more; least at p = {best[1]:g}, procedure {best[0]}"
    return "growth exponent over horizons", found[best], verdict, note


def vanishing_schedule(part, alpha, first, last):
    """N_T/T of W-SparQ's schedule at a late horizon over that at an earlier one; exact."""
    rounds = part["round"].values
    if alpha not in part.alpha.values or rounds[-1] < last:
        raise NotComparable("not counted so far")
    asked = part.w_sparq.isel(part=0).sel(alpha=alpha)
    early, late = (asked.sel(round=t, method="nearest") for t in (first, last))
    rates = [float(n) / float(n["round"]) for n in (early, late)]
    ratio = rates[1] / rates[0]
    ours = Estimate(ratio, ratio, ratio, 2)
    note = f"{rates[0]:.3g} a round at T = {first:g}, {rates[1]:.3g} at T = {last:g}"
    quantity = "queries a round, late over early"
    return quantity, ours, sign(shifted(ours, -1)), note


def counted(part, alpha, horizon, value):
    """N_T of a schedule, exact; alpha None: SparQ's."""
    if horizon not in part["round"].values or not (alpha is None or alpha in part.alpha.values):
        raise NotComparable("not counted at this horizon and alpha")
    asked = (part.sparq if alpha is None else part.w_sparq.sel(alpha=alpha)).isel(part=0)
    found = float(asked.sel(round=horizon))
    verdict = "confirmed" if found == value else "contradicted"
    return "N_T of the schedule", Estimate(found, found, found, 2), verdict, "exact"


def bound_at_horizon(part, alpha, bound, method):
    """Average regret against a bound over T, and that against 2 M_k B."""
    if not _in_bed(part, method, alpha):
        raise NotComparable(f"not run at alpha = {alpha:g}")
    last = float(part["round"].values[-1])
    totals = part.cumulative_regret.sel(part=method, alpha=alpha).isel(round=-1).values
    value = float(GROWTH_BOUNDS[bound](np.array([last]), alpha)[0]) / last
    largest = float(bounds.largest_regret(1.0))
    note = f"bound / T = {value:.3g}, 2 M_k B = {largest:.3g} at T = {last:g}"
    verdict = "vacuous" if value > largest else "contradicted"
    return "average regret R_T/T", mean_interval(totals / last), verdict, note


def late_regret_above(part, alpha, value):
    """Regret a round in the last tenth of the runs, of the method with the least."""
    if alpha not in part.alpha.values:
        raise NotComparable(f"not run at alpha = {alpha:g}")
    found = {m: regimes.late_regret(part, m, alpha) for m in regimes.methods(part)}
    best = min(found, key=lambda m: found[m].mean)
    ours = found[best]
    quantity = f"late regret a round of {regimes.LABELS.get(best, best)}"
    return quantity, ours, sign(shifted(ours, -value), above=True), ""


def _in_bed(part, method, alpha) -> bool:
    return method in part.part.values and alpha in part.alpha.values


KINDS = (growth, few_queries, vanishing_schedule, counted, bound_at_horizon, late_regret_above)
