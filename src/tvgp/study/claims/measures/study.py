"""Measurements on the runs of an experiment: average regret, its growth, queries, errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import (
    Comparison,
    Holds,
    Measured,
    NotComparable,
    Printed,
    Trend,
    Vacuous,
    Within,
)
from tvgp.study.claims.measures.entries import average, final_average, need
from tvgp.study.results.growth import TOLERANCE
from tvgp.study.results.statistics import (
    LEVEL,
    largest_mean,
    least_mean,
    mean_interval,
    paired_difference,
)
from tvgp.theory import bounds, query_counts

EXPONENT = "growth exponent of $R_t$ from $T/2$ to $T$"


def average_regret(part: xr.Dataset, variant: str, value: float, tolerance: float) -> Measured:
    """R_T / T against a printed value."""
    ours = average(part, variant)
    return Measured("average regret $R_T/T$", ours, *_printed(value, tolerance))


def mean_optimum(part: xr.Dataset, value: float, tolerance: float) -> Measured:
    """Mean over rounds of max_x f_t(x), as seen in the oracle's rewards."""
    need(part, "oracle")
    rewards = part.reward.sel(policy="oracle").transpose("seed", "round").values
    ours = mean_interval(rewards.mean(axis=1))
    return Measured("mean of the oracle's rewards", ours, *_printed(value, tolerance))


def queries(part: xr.Dataset, variant: str, value: float, tolerance: float) -> Measured:
    """Number of expert queries per run."""
    need(part, variant)
    ours = mean_interval(results.total_queries(part, variant))
    return Measured("expert queries per run", ours, *_printed(value, tolerance))


def scheduled_queries(part: xr.Dataset, variant: str, tolerance: float) -> Measured:
    """Number of expert queries per run against W-SparQ's schedule at the run's alpha."""
    alpha = results.fit(part)["alpha"] if str(part.alpha.item()) == "fit" else float(part.alpha)
    value = float(query_counts.w_sparq_total(np.array([part.sizes["round"]]), alpha)[0])
    found = queries(part, variant, value, tolerance)
    return replace(found, note=f"{found.note}; schedule: {value:,.0f} at $α = {alpha:.3g}$")


def lowest(part: xr.Dataset, variants: Sequence[str], others: Sequence[str]) -> Measured:
    """The largest paired difference of average regret between one of `variants` and one of `others`."""
    need(part, *variants, *others)
    pairs = [(variant, other) for variant in variants for other in others]
    gaps = [results.differences(part, variant, other) for variant, other in pairs]
    ours, index = largest_mean(gaps)
    variant, other = (results.label(part, name) for name in pairs[index])
    quantity = f"$R_T/T$ of {variant} minus {other}"
    return Measured(quantity, ours, Within(most=0), f"the largest of {len(pairs)} differences")


def lower_than(part: xr.Dataset, variant: str, other: str) -> Measured:
    """Average regret of one variant against another, paired."""
    need(part, variant, other)
    ours = mean_interval(results.differences(part, variant, other))
    quantity = f"$R_T/T$ of {results.label(part, variant)} minus {results.label(part, other)}"
    return Measured(quantity, ours, Within(most=0))


def no_more_regret(part: xr.Dataset, variant: str, other: str, tolerance: float) -> Measured:
    """Average regret of a variant relative to that of another."""
    ours = results.ratio(part, final_average(part, variant), final_average(part, other))
    quantity = f"$R_T/T$ of {results.label(part, variant)} over that of {results.label(part, other)}"
    return Measured(quantity, ours, Within(most=1 + tolerance), f"competitive = at most {1 + tolerance:g}")


def comparable(part: xr.Dataset, variant: str, others: Sequence[str], tolerance: float) -> Measured:
    """Average regret of a variant relative to the mean of others."""
    reference = np.mean([final_average(part, name) for name in others], axis=0)
    ours = results.ratio(part, final_average(part, variant), reference)
    names = ", ".join(results.label(part, name) for name in others)
    quantity = f"$R_T/T$ of {results.label(part, variant)} over the mean of {names}"
    return Measured(quantity, ours, Printed(1.0, tolerance), f"comparable = within {tolerance:.0%}")


def sublinear(part: xr.Dataset, variant: str) -> Measured:
    """Growth exponent of R_t over the second half of the run clearly below 1."""
    limit = 1 - TOLERANCE
    ours = mean_interval(half_exponents(part, variant))
    return Measured(EXPONENT, ours, Trend(most=limit), f"sublinear = below {limit:g}")


def only_sublinear(part: xr.Dataset, variant: str, others: Sequence[str]) -> Measured:
    """Growth exponents over the second half of the run: that of a variant below 1 - TOLERANCE, those of
    all others above. The largest distance on the wrong side of that limit, below 0 for all."""
    limit = 1 - TOLERANCE
    exponents = {name: half_exponents(part, name) for name in (variant, *others)}
    ours, index = largest_mean([p - limit if name == variant else limit - p for name, p in exponents.items()])
    worst = list(exponents)[index]
    shown = ", ".join(f"{results.label(part, name)} {p.mean():z.2f}" for name, p in exponents.items())
    quantity = f"distance of {results.label(part, worst)}'s growth exponent to the wrong side of {limit:g}"
    return Measured(
        quantity, ours, Trend(most=0), f"largest of all methods; exponents from $T/2$ to $T$: {shown}"
    )


def linear(part: xr.Dataset, variant: str) -> Measured:
    """Growth exponent of R_t over the second half of the run near 1."""
    claimed = Trend(1 - TOLERANCE, 1 + TOLERANCE)
    ours = mean_interval(half_exponents(part, variant))
    return Measured(EXPONENT, ours, claimed, f"linear = {claimed.least:g} to {claimed.most:g}")


def superlinear(part: xr.Dataset, variant: str) -> Measured:
    """Growth exponent of R_t over the second half of the run above 1."""
    return Measured(EXPONENT, mean_interval(half_exponents(part, variant)), Trend(least=1))


def below_bound(part: xr.Dataset, variant: str) -> Measured:
    """Average regret against the bound (19) of Mauduit25a; vacuous where no regret can exceed it."""
    ours = average(part, variant)
    horizon = part.sizes["round"]
    limit = float(bounds.regret_bound_sparq_2025a(np.array(horizon, dtype=float))) / horizon
    largest = results.largest_regret(part)
    if not np.isfinite(limit):
        raise NotComparable("the bound is not defined for so few rounds")
    claimed: Comparison = Within(most=limit, open_constant=True)
    note = f"bound / $T = {limit:.6g}$"
    if limit >= largest:
        claimed = Vacuous()
        note += f", the largest regret met in any round is {largest:.3g}"
    elif ours.low > limit:
        note += "; a larger constant would put the bound above"
    return Measured("average regret $R_T/T$", ours, claimed, note)


def more_queries(part: xr.Dataset, variant: str, other: str) -> Measured:
    """Expert queries of one variant over those of another."""
    need(part, variant, other)
    few = results.total_queries(part, other)
    if (few == 0).any():
        raise NotComparable(f"{results.label(part, other)} made no query")
    ours = mean_interval(results.total_queries(part, variant) / few)
    quantity = f"queries of {results.label(part, variant)} per query of {results.label(part, other)}"
    return Measured(quantity, ours, Within(least=1))


def vanishing_queries(part: xr.Dataset, variant: str) -> Measured:
    """Expert queries per round in the second half of the run minus those in the first."""
    need(part, variant)
    asked = part.expert_queries.sel(policy=variant).transpose("seed", "round").values
    half = asked.shape[1] // 2
    ours = paired_difference(asked[:, half:].mean(axis=1), asked[:, :half].mean(axis=1))
    return Measured("queries per round, second half minus first", ours, None)


def crossing(part: xr.Dataset, variant: str, other: str) -> Measured:
    """First round from which a variant has the smaller mean cumulative regret, and the
    paired difference of average regrets at the end."""
    need(part, variant, other)
    ours, theirs = results.cumulative_regret(results.select(part, variant, other))
    ahead = (ours - theirs).mean(axis=0) < 0
    behind = np.flatnonzero(~ahead)
    start = int(behind[-1]) + 2 if len(behind) else 1
    note = f"in the mean from round {start} of {len(ahead)} on"
    found = lower_than(part, variant, other)
    return replace(found, note=note if ahead[-1] else f"not within {len(ahead)} rounds")


def best_of(
    part: xr.Dataset, variants: Sequence[str], expected: Sequence[str], value: float, tolerance: float
) -> Measured:
    """The least average regret of a sweep against a printed value, and the variant that has it."""
    runs = {name: final_average(part, name) for name in variants}
    ours, index = least_mean([results.joined(part, values) for values in runs.values()])
    best = variants[index]
    claimed: Comparison
    claimed, note = _printed(value, tolerance)
    # whichever variant is best is seen in the same runs
    level = 1 - (1 - LEVEL) / len(variants)
    gaps = [mean_interval(results.differences(part, best, name), level) for name in expected]
    where = f"least at {results.label(part, best)}"
    if best not in expected and all(gap.high < 0 for gap in gaps):
        claimed, where = Holds(False), f"{where}, clearly below the claimed values"
    return Measured("least average regret of the sweep", ours, claimed, f"{where}; {note}")


def lowest_error(part: xr.Dataset, variant: str, others: Sequence[str]) -> Measured:
    """Mean squared prediction error against the best of others, paired."""
    return _compare_errors(part, variant, others, np.nanmean, "mean squared error")


def smoothest_error(part: xr.Dataset, variant: str, others: Sequence[str]) -> Measured:
    """Standard deviation over places of the squared error against the least of others."""
    return _compare_errors(part, variant, others, np.nanstd, "spread over places of the error")


def half_exponents(part: xr.Dataset, variant: str) -> np.ndarray:
    """p with R_T / R_{T/2} = 2^p, run by run: 1 for linear regret, 1/2 for sqrt(T); one number on a record,
    which is one path."""
    need(part, variant)
    total = results.cumulative_regret(results.select(part, variant))[0]
    if "block" in part.attrs:
        total = total.mean(axis=0, keepdims=True)
    end, half = total.shape[1], total.shape[1] // 2
    if half < 1 or (total[:, half - 1] <= 0).any():
        raise NotComparable("no regret in the first half, so no growth exponent")
    return np.log(total[:, -1] / total[:, half - 1]) / np.log(end / half)


def _printed(value: float, tolerance: float) -> tuple[Printed, str]:
    return Printed(value, tolerance), f"tolerance {tolerance:.0%}"


def _compare_errors(
    part: xr.Dataset, variant: str, others: Sequence[str], summary: Callable[..., np.ndarray], name: str
) -> Measured:
    if "squared_error" not in part:
        raise NotComparable("prediction errors were not recorded")
    need(part, variant, *others)
    errors = part.squared_error.transpose("policy", "seed", "arm")
    values = {n: summary(errors.sel(policy=n).values, axis=1) for n in (variant, *others)}
    if "block" in part.attrs:  # one path
        values = {n: runs.mean(keepdims=True) for n, runs in values.items()}
    ours, index = largest_mean([values[variant] - values[other] for other in others])
    quantity = f"{name}, {results.label(part, variant)} minus {results.label(part, others[index])}"
    return Measured(quantity, ours, Within(most=0), f"the largest of {len(others)} differences")
