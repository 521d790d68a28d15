"""Measurements for the lower bounds, the sparse argument and coverage (Mauduit25b)."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Holds, Measured, Within
from tvgp.study.claims.measures.entries import at
from tvgp.study.results.statistics import Estimate, mean_interval, share_interval


def step_of_centres(data: xr.Dataset) -> Measured:
    """Value of the midpoint of two neighbours over half the maximum, at the printed step."""
    selected = data.isel(part=0)
    middle = np.minimum(selected.printed.values[0], selected.printed.values[1]).max() / float(selected.gap)
    wide = np.minimum(selected["values"].values[0], selected["values"].values[1]).max() / float(selected.gap)
    claimed = Holds(middle <= 1 + 1e-9)
    return Measured(
        "best shared value over epsilon", Estimate.exact(middle), claimed, f"{wide:.2f} at step 2w"
    )


def error_at_threshold(data: xr.Dataset, alpha: float, power: float) -> Measured:
    """Error of the best decision at the budget nearest to T^power, worst schedule for the claim."""
    last = at(data, alpha=alpha).isel(horizon=-1)
    target = float(last.horizon) ** power
    runs = []
    for part in data.part.values:
        selected = last.sel(part=part)
        nearest = int(np.abs(np.log(selected.queries.values / target)).argmin())
        runs.append(selected.adaptive_error.isel(budget=nearest).mean("time").values)
    ours = mean_interval(min(runs, key=np.mean))
    note = f"T = {int(last.horizon):,}, N_T near {target:,.0f}"
    return Measured("error, least of the schedules", ours, Within(least=0.5), note)


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
    note = f"T = {int(last.time)}, M = {last['size'].values.mean():.0f}; variational: 2 KL ="
    note += f" {2 * last.variational_divergence.values.mean():.3g}"
    return Measured("2 KL in nats", ours, Within(most=0.2), note)


def sparse_variance(data: xr.Dataset, part: str) -> Measured:
    """Median variance ratio minus 1 at the largest T against sqrt(3/5)."""
    last = at(data, part=part).isel(time=-1)
    ours = mean_interval(last.ratio_median.values - 1)
    note = f"variational: {last.variational_ratio_median.values.mean() - 1:.3g}"
    return Measured("variance ratio minus 1", ours, Within(most=np.sqrt(0.6)), note)


def covers_always(data: xr.Dataset, part: str, level: float) -> Measured:
    """Share of runs in which the band holds every arm in every round, Clopper-Pearson interval."""
    inside = at(data.everywhere, part=part).transpose("seed", "round").values.all(axis=1)
    ours = share_interval(int(inside.sum()), len(inside))
    note = f"1 - delta = {level:g}; {inside.sum()} of {len(inside)} runs"
    return Measured("share of runs", ours, Within(least=level), note)
