"""Measurements on the runs of an experiment: average regret, its growth, queries, errors."""

from __future__ import annotations

import numpy as np

from tvgp.study import results
from tvgp.study.claims.measures.verdict import (
    NotComparable,
    against_value,
    finite_or,
    shifted,
    sign,
)
from tvgp.study.results.statistics import Estimate, mean_interval, paired_difference
from tvgp.theory import bounds

LINEAR = 0.05  # half width of the range of growth exponents around 1 called linear
BOUNDS = {
    "sparq_2025a": bounds.regret_bound_sparq_2025a,
    "sparq_2025b": bounds.regret_bound_sparq_2025b,
    "w_sparq": bounds.regret_bound_w_sparq,
    "w_sparq_printed": lambda t: bounds.regret_bound_w_sparq(t, rooted=False),
}


def average_regret(part, variant, value, tolerance):
    """R_T / T against a printed value."""
    ours = mean_interval(final_average(part, variant))
    return "average regret R_T/T", ours, *against_value(ours, value, tolerance)


def mean_optimum(part, value, tolerance):
    """Mean over rounds of max_x f_t(x), as seen in the oracle's rewards."""
    need(part, "oracle")
    rewards = part.reward.sel(policy="oracle").transpose("seed", "round").values
    ours = mean_interval(rewards.mean(axis=1))
    return "mean of the oracle's rewards", ours, *against_value(ours, value, tolerance)


def queries(part, variant, value, tolerance):
    """Number of expert queries in a run."""
    need(part, variant)
    ours = mean_interval(results.total_queries(part, variant))
    return "expert queries in a run", ours, *against_value(ours, value, tolerance)


def lowest(part, variants, others):
    """The worst of `variants` against the best of `others`, paired."""
    for name in (*variants, *others):
        need(part, name)
    worst = max(variants, key=lambda name: final_average(part, name).mean())
    best = min(others, key=lambda name: final_average(part, name).mean())
    ours = paired_difference(final_average(part, worst), final_average(part, best))
    quantity = f"R_T/T of {results.label(part, worst)} minus {results.label(part, best)}"
    return quantity, ours, sign(ours), "best of the others in these runs"


def lower_than(part, variant, other):
    """Average regret of one variant against another, paired."""
    ours = paired_difference(final_average(part, variant), final_average(part, other))
    quantity = f"R_T/T of {results.label(part, variant)} minus {results.label(part, other)}"
    return quantity, ours, sign(ours), ""


def comparable(part, variant, others, tolerance):
    """Average regret of a variant relative to the mean of others."""
    reference = np.mean([final_average(part, name) for name in others], axis=0)
    ours = mean_interval(final_average(part, variant) / reference)
    names = ", ".join(results.label(part, name) for name in others)
    quantity = f"R_T/T of {results.label(part, variant)} over the mean of {names}"
    inside = 1 - tolerance <= ours.mean <= 1 + tolerance
    if ours.low > 1 + tolerance or ours.high < 1 - tolerance:
        inside = False
    verdict = "confirmed" if inside else "contradicted"
    return quantity, ours, verdict, f"comparable = within {tolerance:.0%}"


def sublinear(part, variant):
    """Growth exponent of R_t over the second half of the run clearly below 1."""
    quantity, ours = half_exponent(part, variant)
    limit = 1 - LINEAR
    verdict = sign(shifted(ours, -limit))
    return quantity, ours, verdict, f"sublinear = below {limit:g}; a finite run proves no limit"


def linear(part, variant):
    """Growth exponent of R_t over the second half of the run near 1."""
    quantity, ours = half_exponent(part, variant)
    low, high = 1 - LINEAR, 1 + LINEAR
    if ours.low > high or ours.high < low:
        verdict = "contradicted"
    elif low <= finite_or(ours.low, ours.mean) and finite_or(ours.high, ours.mean) <= high:
        verdict = "confirmed"
    else:
        verdict = "inconclusive"
    return quantity, ours, verdict, f"linear = {low:g} to {high:g}"


def superlinear(part, variant):
    """Growth exponent of R_t over the second half of the run above 1."""
    quantity, ours = half_exponent(part, variant)
    return quantity, ours, sign(shifted(ours, -1), above=True), ""


def below_bound(part, variant, bound):
    """Average regret against a bound; vacuous where nothing could exceed it."""
    ours = mean_interval(final_average(part, variant))
    horizon = float(part.sizes["round"])
    limit = float(BOUNDS[bound](horizon)) / horizon
    largest = results.largest_regret(part)
    note = f"bound / T = {limit:.6g}"
    if not np.isfinite(limit):
        raise NotComparable("the bound is not defined for so few rounds")
    if limit >= largest:
        note += f", the largest regret met in any round is {largest:.3g}"
        return "average regret R_T/T", ours, "vacuous", note
    verdict = sign(shifted(ours, -limit))
    if verdict == "contradicted":
        note += "; a larger constant would put the bound above"
    return "average regret R_T/T", ours, verdict, note


def more_queries(part, variant, other):
    """Expert queries of one variant over those of another."""
    need(part, variant)
    need(part, other)
    few = results.total_queries(part, other)
    if (few == 0).any():
        raise NotComparable(f"{results.label(part, other)} made no query")
    ours = mean_interval(results.total_queries(part, variant) / few)
    quantity = f"queries of {results.label(part, variant)} per query of {results.label(part, other)}"
    return quantity, ours, sign(shifted(ours, -1), above=True), ""


def vanishing_queries(part, variant):
    """Expert queries a round in the second half of the run minus those in the first."""
    need(part, variant)
    asked = part.expert_queries.sel(policy=variant).transpose("seed", "round").values
    half = asked.shape[1] // 2
    ours = paired_difference(asked[:, half:].mean(axis=1), asked[:, :half].mean(axis=1))
    return "queries a round, second half minus first", ours, sign(ours), ""


def crossing(part, variant, other):
    """First round from which on a variant has the smaller cumulative regret in the mean, and the
    paired difference of average regrets at the end."""
    for name in (variant, other):
        need(part, name)
    regret = part.regret.transpose("policy", "seed", "round")
    totals = {n: np.cumsum(regret.sel(policy=n).values, axis=1) for n in (variant, other)}
    ahead = (totals[variant] - totals[other]).mean(axis=0) < 0
    ours = paired_difference(final_average(part, variant), final_average(part, other))
    quantity = f"R_T/T of {results.label(part, variant)} minus {results.label(part, other)}"
    if not ahead[-1]:
        return quantity, ours, sign(ours), f"not within {len(ahead)} rounds"
    behind = np.flatnonzero(~ahead)
    start = 1 if not len(behind) else int(behind[-1]) + 2
    return quantity, ours, sign(ours), f"in the mean from round {start} of {len(ahead)} on"


def best_of(part, variants, expected, value, tolerance):
    """The least average regret of a sweep against a printed value, and where it lies."""
    for name in variants:
        need(part, name)
    best = min(variants, key=lambda name: final_average(part, name).mean())
    ours = mean_interval(final_average(part, best))
    verdict, note = against_value(ours, value, tolerance)
    gaps = [paired_difference(final_average(part, best), final_average(part, name)) for name in expected]
    where = f"least at {results.label(part, best)}"
    if best not in expected and not any(np.isnan(gap.low) or gap.high >= 0 for gap in gaps):
        verdict, where = "contradicted", f"{where}, clearly below the claimed places"
    return "least average regret of the sweep", ours, verdict, f"{where}; {note}"


def lowest_error(part, variant, others):
    """Mean squared prediction error against the best of others, paired."""
    return _compare_errors(part, variant, others, np.nanmean, "mean squared error")


def smoothest_error(part, variant, others):
    """Standard deviation over places of the squared error against the least of others."""
    return _compare_errors(part, variant, others, np.nanstd, "spread over places of the error")


def _compare_errors(part, variant, others, summary, words):
    if "squared_error" not in part:
        raise NotComparable("prediction errors were not recorded")
    errors = part.squared_error.transpose("policy", "seed", "arm")
    values = {}
    for name in (variant, *others):
        need(part, name)
        values[name] = summary(errors.sel(policy=name).values, axis=1)
    best = min(others, key=lambda name: values[name].mean())
    ours = paired_difference(values[variant], values[best])
    quantity = f"{words}, {results.label(part, variant)} minus {results.label(part, best)}"
    return quantity, ours, sign(ours), "best of the others in these runs"


def half_exponent(part, variant) -> tuple[str, Estimate]:
    """p with R_T / R_{T/2} = 2^p, run by run: 1 for linear regret, 1/2 for sqrt(T)."""
    need(part, variant)
    total = np.cumsum(part.regret.sel(policy=variant).transpose("seed", "round").values, axis=1)
    end, half = total.shape[1], total.shape[1] // 2
    if half < 1 or (total[:, half - 1] <= 0).any():
        raise NotComparable("no regret in the first half, so no growth exponent")
    p = np.log(total[:, -1] / total[:, half - 1]) / np.log(end / half)
    return "growth exponent of R_t from T/2 to T", mean_interval(p)


def final_average(part, variant) -> np.ndarray:
    """R_T / T of every run, (n_seeds,); NotComparable where the variant was not run."""
    need(part, variant)
    return results.final_average(part, variant)


def need(part, variant) -> None:
    """NotComparable where the variant was not run."""
    if variant not in part.policy.values:
        raise NotComparable(f"variant {variant} was not run")


KINDS = (
    average_regret,
    mean_optimum,
    queries,
    lowest,
    lower_than,
    comparable,
    sublinear,
    linear,
    superlinear,
    below_bound,
    more_queries,
    vanishing_queries,
    crossing,
    best_of,
    lowest_error,
    smoothest_error,
)
