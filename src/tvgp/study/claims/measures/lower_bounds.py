"""Measurements for the lower bounds, the sparse argument and coverage (Mauduit25b)."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Holds, Measured, NotComparable, Within
from tvgp.study.claims.measures.entries import at
from tvgp.study.claims.measures.regimes import no_slower
from tvgp.study.results.statistics import Estimate, least_mean, log_slope, mean_interval, share_interval


def step_of_centres(data: xr.Dataset) -> Measured:
    """Value of the midpoint of two neighbours over half the maximum, at the printed step."""
    selected = data.isel(part=0)
    middle = np.minimum(selected.printed.values[0], selected.printed.values[1]).max() / float(selected.gap)
    wide = np.minimum(selected["values"].values[0], selected["values"].values[1]).max() / float(selected.gap)
    claimed = Holds(middle <= 1 + 1e-9)
    return Measured("best shared value over $ε$", Estimate.exact(middle), claimed, f"{wide:.2f} at step $2w$")


def linear_growth(data: xr.Dataset, alpha: float, budget: str) -> Measured:
    """Growth exponent of R_T over horizons, one main evaluation per round, at the least gamma, for which
    Fano's bound is positive."""
    chosen = at(data.isel(part=0), alpha=alpha, budget=budget)
    if chosen.sizes["horizon"] < 2:
        raise NotComparable("run at one horizon only, so without a growth exponent")
    gap = chosen.gap.values.min()
    runs = chosen.regret.sel(gap=gap).transpose("horizon", "seed").values
    slope = log_slope(np.log(chosen.horizon.values), list(runs))
    ours = Estimate(1 + slope.mean, 1 + slope.low, 1 + slope.high, slope.runs)
    last = chosen.isel(horizon=-1)
    errors = last.error.mean("seed").values
    each = (f"{e:.2g} at $γ = {g:g}$" for g, e in zip(last.gap.values, errors, strict=True))
    note = f"$T = {int(chosen.horizon[0]):,}$ to {int(last.horizon):,}; error {', '.join(each)}"
    return Measured(f"growth exponent of $R_T$, $γ = {gap:g}$", ours, no_slower(1.0, worst_case=False), note)


def fano_floor(data: xr.Dataset, name: str) -> Measured:
    """Least of Fano's bounds on the error over alpha, budgets and horizons, for the best gamma."""
    floor = data[name].isel(part=0).min(("alpha", "budget", "horizon"))
    best = floor.isel(gap=int(floor.argmax("gap")))
    note = f"$γ = {float(best.gap):g}$; the other: {float(floor.min()):.2g}"
    return Measured("least bound on the error", Estimate.exact(float(best)), Holds(float(best) > 0), note)


def counting(data: xr.Dataset, alpha: float) -> Measured:
    """Largest mean precision over its bound, over schedules, horizons and budgets."""
    selected = at(data, alpha=alpha)
    share = float((selected.mean_precision / selected.counting_bound).max())
    ours, claimed = Estimate.exact(share), Holds(share <= 1)
    return Measured("mean precision over its bound", ours, claimed, "largest of all schedules")


def sparse_divergence(data: xr.Dataset, part: str) -> Measured:
    """2 KL(P^s || P^v) at the largest T against 1/5."""
    last = at(data, part=part).isel(time=-1)
    ours = mean_interval(2 * last.divergence.values)
    note = f"$T = {int(last.time)}$, $M = {last['size'].values.mean():.0f}$; variational: 2 KL ="
    note += f" {2 * last.variational_divergence.values.mean():.3g}"
    return Measured("2 KL in nats", ours, Within(most=0.2, open_constant=True), note)


def divergence_left(data: xr.Dataset) -> Measured:
    """2 E KL(P^s || P^v) at the largest T and the largest number of queries against 1/5."""
    last = data.isel(part=0).isel(time=-1)
    most, few = last.isel(scale=-1), last.isel(scale=0)
    ours = mean_interval(2 * most.divergence.values)
    note = (
        f"$T = {int(last.time)}$, $M = {most['size'].values.mean():.0f}$ of {most.distinct.values.mean():.0f}"
    )
    note += f" inputs; of any $M = {few['size'].values.mean():.0f}$ at least"
    note += f" {2 * few.least_divergence.values.mean():.3g}, of these {2 * few.divergence.values.mean():.4g}"
    return Measured("2 KL in nats, mean over the data", ours, Within(least=0.2), note)


def least_divergence_reached(data: xr.Dataset) -> Measured:
    """2 E KL(P^s || P^v) at the largest T, at the number of queries that brings it lowest, against 1/5."""
    last = data.isel(part=0).isel(time=-1)
    runs = 2 * last.divergence.transpose("scale", "seed").values
    ours, index = least_mean(list(runs))
    best = last.isel(scale=index)
    note = f"$T = {int(last.time)}$, least at $M = {best['size'].values.mean():.0f}$ of"
    note += f" {best.distinct.values.mean():.0f} inputs, of {data.sizes['scale']} numbers up to all"
    return Measured("2 KL in nats, mean over the data", ours, Within(most=0.2), note)


def sparse_variance(data: xr.Dataset, part: str) -> Measured:
    """Median variance ratio minus 1 at the largest T against sqrt(3/5)."""
    last = at(data, part=part).isel(time=-1)
    ours = mean_interval(last.ratio_median.values - 1)
    note = f"variational: {last.variational_ratio_median.values.mean() - 1:.3g}"
    return Measured("variance ratio minus 1", ours, Within(most=np.sqrt(0.6), open_constant=True), note)


def covers_always(data: xr.Dataset, part: str, level: float) -> Measured:
    """Share of runs in which the band holds every arm in every round, Clopper-Pearson interval."""
    inside = at(data.everywhere, part=part).transpose("seed", "round").values.all(axis=1)
    ours = share_interval(int(inside.sum()), len(inside))
    note = f"$1 - δ = {level:g}$; {inside.sum()} of {len(inside)} runs"
    return Measured("share of runs", ours, Within(least=level), note)
