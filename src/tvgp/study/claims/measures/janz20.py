"""Measurements for Janz20: shares of uniform play, growth of information gain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.claims.claim import Measured, Printed, Trend
from tvgp.study.claims.measures.entries import at, need
from tvgp.study.claims.measures.partitions import slope_of_logarithms
from tvgp.study.results.janz20 import reason
from tvgp.study.results.statistics import Estimate, growth_values, largest_mean, mean_interval


def fraction_of_uniform(
    part: xr.Dataset, variant: str, value: float, tolerance: float, wide: str | None = None
) -> Measured:
    """Regret as a share of that of the runs of uniform play on the same functions.

    wide: the same variant with gamma counted without its 1/2, to explain a value outside the interval.
    """
    need(part, variant, "uniform")
    share = results.fraction_of_uniform(part, variant)
    why = reason(part, variant, value, wide) if wide else ""
    note = f"tolerance {tolerance:.0%}; single runs from {share.min():.2f} to {share.max():.2f}"
    note += f"; {why or f'{(share >= value).sum()} reach it'}"
    return Measured("$R_T$ over that of uniform play", mean_interval(share), Printed(value, tolerance), note)


def cell_gain_growth(data: Mapping[str, xr.Dataset]) -> Measured:
    """Exponent of T of the largest cell's gain over the runs of pi-GP-UCB to several T (`partitions`), the
    largest of all dimensions, against that of log T log log T; beside it that of the whole domain over the
    last decade (`cell_gain`)."""
    cells, domains = data["partitions"], data["cell_gain"]
    gains, exponents = [], []
    for name in domains.part.values:
        gains.append(_gain_exponents(at(cells, part=name), "largest_cell"))
        domain = _gain_exponents(domains.sel(part=name), "greedy").mean()
        exponents.append(f"{name}: {gains[-1].mean():.2f}, of the whole domain {domain:.2f}")
    limit = slope_of_logarithms(cells["rounds"].values)
    note = f"threshold {limit:.2f}: the bound's own slope; {'; '.join(exponents)}"
    return Measured(
        "exponent of $T$ of the largest cell's gain", largest_mean(gains)[0], Trend(most=limit), note
    )


def gain_exponent(data: xr.Dataset, part: str, upper: float, lower: float) -> Measured:
    """Exponent of T of the whole domain's gain, last decade, against the published upper exponent; a
    note has the lower one, which does not count: on a finite grid the gain ends below any power."""
    selected = at(data, part=part)
    ours = Estimate.exact(_gain_exponents(selected, "greedy").mean())
    last = int(selected.step.values[np.isfinite(selected.greedy.mean("seed").values)][-1])
    note = f"published lower exponent {lower:.2f}; rounds {last // 10:,} to {last:,}"
    return Measured("exponent of $T$, greedy sequence", ours, Trend(most=upper), note)


def _gain_exponents(selected: xr.Dataset, kind: str) -> np.ndarray:
    """What each run says of the slope of log gain on log T, (seed,), of steps within a run over their
    last decade. The greedy sequence is the same in all runs."""
    (axis,) = set(selected[kind].dims) - {"seed"}
    steps, values = selected[axis].values, selected[kind].transpose("seed", axis).values
    there = np.isfinite(values).all(axis=0)
    use = there if axis == "rounds" else there & (steps >= steps[there][-1] / 10)
    return growth_values(values[:, use], steps[use])
