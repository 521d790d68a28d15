"""Measurements for the lower bounds, the sparse argument and coverage (Mauduit25b)."""

from __future__ import annotations

import numpy as np

from tvgp.study.claims.measures.verdict import at, exactly, shifted, sign
from tvgp.study.results.statistics import mean_interval, share_interval


def step_of_centres(data):
    """Value of the midpoint of two neighbours over half the maximum, at the printed step."""
    one = data.isel(part=0)
    middle = np.minimum(one.printed.values[0], one.printed.values[1]).max() / float(one.gap)
    wide = np.minimum(one["values"].values[0], one["values"].values[1]).max() / float(one.gap)
    verdict = "confirmed" if middle <= 1 + 1e-9 else "contradicted"
    note = f"{wide:.2f} at step 2w"
    return "best shared value over epsilon", exactly(middle), verdict, note


def published_norm(data):
    """RKHS norm of a function of the published width over B."""
    one = data.isel(part=0)
    share = float(one.published_norm / one.norm)
    verdict = "confirmed" if abs(share - 1) < 0.05 else "contradicted"
    note = f"w = {float(one.published_width):.3g}, norm B at w = {float(one.width):.3g}"
    return "norm over B", exactly(share), verdict, note


def error_at_threshold(data, alpha, power):
    """Error of the best decision at the budget nearest to T^power, worst schedule for the claim."""
    last = at(data, alpha=alpha).isel(horizon=-1)
    target = float(last.horizon) ** power
    runs = []
    for part in data.part.values:
        one = last.sel(part=part)
        nearest = int(np.abs(np.log(one.queries.values / target)).argmin())
        runs.append(one.adaptive_error.isel(budget=nearest).mean("time").values)
    lowest = min(runs, key=np.mean)
    ours = mean_interval(lowest)
    return (
        "error, least of the schedules",
        ours,
        sign(shifted(ours, -0.5), above=True),
        (f"T = {int(last.horizon):,}, N_T near {target:,.0f}"),
    )


def counting(data, alpha):
    """Largest mean precision over its bound, over schedules, horizons and budgets."""
    one = at(data, alpha=alpha)
    share = float((one.mean_precision / one.counting_bound).max())
    verdict = "confirmed" if share <= 1 else "contradicted"
    return "mean precision over its bound", exactly(share), verdict, "largest of all schedules"


def sparse_divergence(data, part):
    """2 KL(P^s || P^v) at the largest T against 1/5."""
    last = at(data, part=part).isel(time=-1)
    ours = mean_interval(2 * last.divergence.values)
    note = f"T = {int(last.time)}, M = {last['size'].values.mean():.0f}; variational: 2 KL ="
    note += f" {2 * last.variational_divergence.values.mean():.3g}"
    return "2 KL in nats", ours, sign(shifted(ours, -0.2)), note


def sparse_variance(data, part):
    """Median variance ratio minus 1 at the largest T against sqrt(3/5)."""
    last = at(data, part=part).isel(time=-1)
    ours = mean_interval(last.ratio_median.values - 1)
    note = f"variational: {last.variational_ratio_median.values.mean() - 1:.3g}"
    return "variance ratio minus 1", ours, sign(shifted(ours, -np.sqrt(0.6))), note


def covers_always(data, part, level):
    """Share of runs in which the band holds every arm in every round, Clopper-Pearson interval."""
    inside = at(data.everywhere, part=part).transpose("seed", "round").values.all(axis=1)
    ours = share_interval(int(inside.sum()), len(inside))
    verdict = sign(shifted(ours, -level), above=True)
    note = f"1 - delta = {level:g}; {inside.sum()} of {len(inside)} runs"
    return "share of runs", ours, verdict, note


KINDS = (
    step_of_centres,
    published_norm,
    error_at_threshold,
    counting,
    sparse_divergence,
    sparse_variance,
    covers_always,
)
