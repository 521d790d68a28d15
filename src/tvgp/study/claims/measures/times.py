"""Measurements of run times, from timed analyses."""

from __future__ import annotations

import xarray as xr

from tvgp.study.claims.claim import Measured, NotComparable, Trend, Within
from tvgp.study.papers.janz20 import DIMENSIONS, SECONDS
from tvgp.study.results import janz20
from tvgp.study.results.statistics import log_slopes, mean_interval, ratio_of_means


def less_time(data: xr.Dataset, d: int) -> Measured:
    """Seconds of pi-GP-UCB over those of IGP-UCB up to the last round that both were timed to, between two
    rounds that were timed in proportion."""
    timed = {variant: _seconds(data, variant, d) for variant in ("pi_gp_ucb", "igp_ucb")}
    last = min(int(each.step[-1]) for each in timed.values())
    ends = {variant: each.interp(step=last).values for variant, each in timed.items()}
    ours = ratio_of_means(ends["pi_gp_ucb"], ends["igp_ucb"])
    (experiment,) = (name for name, dimension in DIMENSIONS.items() if dimension == d)
    published = SECONDS[experiment, "pi_gp_ucb"] / SECONDS[experiment, "igp_ucb"]
    shown = " and ".join(f"{values.mean():.3g}" for values in ends.values())
    note = f"{shown} seconds to round {last:,}; the paper's ratio {published:.2g}"
    return Measured("seconds of π-GP-UCB over those of IGP-UCB", ours, Within(most=1), note)


def linear_time(data: xr.Dataset, d: int, most: float) -> Measured:
    """Slope of the logarithm of the seconds of pi-GP-UCB on that of the round, over the last decade."""
    timed = _seconds(data, "pi_gp_ucb", d)
    late = timed.sel(step=timed.step >= timed.step[-1] / 10)
    if late.sizes["step"] < 2:
        raise NotComparable("timed at one round of the last decade, so without a slope")
    slopes = log_slopes(late.step.values, late.transpose("seed", "step").values)
    note = f"rounds {int(late.step[0]):,} to {int(late.step[-1]):,}; near-linear = at most {most:g}"
    return Measured("slope of the logarithm of the seconds", mean_interval(slopes), Trend(most=most), note)


def slower_than_sparse(data: xr.Dataset, method: str, kernel: str) -> Measured:
    """Seconds of a step of an exact method over those of sparse sampling with inducing points."""
    names = list(zip(map(str, data.kernel.values), map(str, data.method.values), strict=True))
    runs = data.seconds.isel(setting=0).transpose("part", "seed").values
    for name in (method, "points"):
        if (kernel, name) not in names:
            raise NotComparable(f"{name} was not timed with this kernel")
    exact, sparse = (runs[names.index((kernel, name))] for name in (method, "points"))
    note = f"{exact.mean():.3g} and {sparse.mean():.3g} seconds"
    return Measured(
        "seconds over those of inducing points", ratio_of_means(exact, sparse), Within(least=1), note
    )


def _seconds(data: xr.Dataset, variant: str, d: int) -> xr.DataArray:
    timed = janz20.seconds(data, variant, d)
    if timed is None:
        raise NotComparable(f"{variant} was not timed at $d = {d}$")
    return timed
