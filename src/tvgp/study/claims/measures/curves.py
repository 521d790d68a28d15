"""Measurements on the course of a run: before and after a restart, early and late, over a sweep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Measured, NotComparable, Printed, Within
from tvgp.study.claims.measures.entries import final_average, need
from tvgp.study.results.statistics import Estimate, growth_values, mean_interval, paired_difference

_EDGE = 5  # a block's first fifth and its last


def after_restart(part: xr.Dataset, variant: str, block: int, other: str = "") -> Measured:
    """Mean regret of a variant in the first fifth of its blocks of rounds after the first, less that in their
    last fifth; with `other`, less the same of that variant."""
    swing = _swing(part, variant, block) - (_swing(part, other, block) if other else 0.0)
    beyond = f" over that of {results.label(part, other)}" if other else ""
    quantity = f"regret just after a restart minus just before, {results.label(part, variant)}{beyond}"
    return Measured(quantity, mean_interval(swing), Within(least=0), f"blocks of {block} rounds")


def _swing(part: xr.Dataset, variant: str, block: int) -> np.ndarray:
    need(part, variant)
    regret = results.of(part, "regret", variant).transpose("seed", "round").values
    whole = regret.shape[1] // block
    if whole < 2 or block < _EDGE:
        raise NotComparable(f"no second block of {block} rounds in {regret.shape[1]}")
    later = regret[:, block : whole * block].reshape(len(regret), whole - 1, block)
    edge = block // _EDGE
    return later[:, :, :edge].mean(axis=(1, 2)) - later[:, :, -edge:].mean(axis=(1, 2))


def elasticity(part: xr.Dataset, variants: Sequence[str], settings: Sequence[float], most: float) -> Measured:
    """Slope of log R_T / T on the logarithm of a setting over the variants that have it."""
    runs = np.column_stack([final_average(part, name) for name in variants])
    ours = mean_interval(growth_values(runs, settings))
    note = f"from {settings[0]:g} to {settings[-1]:g}; slow = below {most:g}"
    return Measured("slope of the logarithm of $R_T/T$", ours, Within(most=most), note)


def spread_growth(part: xr.Dataset, variants: Sequence[str], settings: Sequence[float]) -> Measured:
    """Slope of the logarithm of the mean absolute deviation of R_T / T between runs on that of a setting."""
    runs = [final_average(part, name) for name in variants]
    if min(len(values) for values in runs) < 3:
        raise NotComparable("too few runs for a deviation between them")
    deviations = [np.abs(values - values.mean()) for values in runs]
    ours = mean_interval(growth_values(np.column_stack(deviations), settings))
    shown = ", ".join(f"{values.std(ddof=1):.2g}" for values in runs)
    note = f"standard deviations {shown} at {', '.join(f'{each:g}' for each in settings)}"
    return Measured("slope of the logarithm of the deviation", ours, Within(least=0), note)


def widening_gap(part: xr.Dataset, variant: str, other: str) -> Measured:
    """R_t / t of `other` less that of a variant: at T, less at T/2."""
    need(part, variant, other)
    gaps = _averages(part, other) - _averages(part, variant)
    end = gaps.shape[1]
    ours = paired_difference(gaps[:, end - 1], gaps[:, end // 2 - 1])
    quantity = f"gap between {results.label(part, other)} and {results.label(part, variant)}, T less T/2"
    return Measured(quantity, ours, Within(least=0))


def early_lead(part: xr.Dataset, variant: str, other: str, share: float) -> Measured:
    """R_t / t of a variant less that of another, after a share of the rounds."""
    need(part, variant, other)
    t = max(1, round(share * part.sizes["round"]))
    ours = paired_difference(_averages(part, variant)[:, t - 1], _averages(part, other)[:, t - 1])
    quantity = f"$R_t/t$ of {results.label(part, variant)} minus {results.label(part, other)}, $t = {t}$"
    return Measured(quantity, ours, Within(most=0))


def tuned_length(part: xr.Dataset, variant: str, value: float, minutes: float, tolerance: float) -> Measured:
    """A number of rounds chosen in training, in rounds of so many minutes; one choice, no interval."""
    chosen = results.tuned(part).get(variant)
    if chosen is None:
        raise NotComparable(f"{variant} was not tuned")
    times = part["time"].values.astype("datetime64[m]")
    step = float(np.diff(times).min() / np.timedelta64(1, "m"))
    ours = Estimate(chosen["value"] * step / minutes, np.nan, np.nan, 1)
    note = f"{chosen['value']:g} rounds of {step:g} minutes; tolerance {tolerance:.0%}"
    return Measured(f"rounds of {minutes:g} minutes", ours, Printed(value, tolerance), note)


def _averages(part: xr.Dataset, variant: str) -> np.ndarray:
    """R_t / t, (seed, round)."""
    return results.average_regret(results.select(part, variant))[0]
