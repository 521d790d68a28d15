"""Measurements for the cost theorems, Remark 3.12 and the steps of the proofs about subsets; counted
or computed on the inputs of runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Holds, Measured, Trend, Vacuous, Within
from tvgp.study.claims.measures.entries import at
from tvgp.study.results.statistics import Estimate, mean_interval

_ROUNDING = 1e-9


def sparq_total(data: xr.Dataset, per_iteration: bool) -> Measured:
    """SparQ's operations, in all or in the last round, over the bound: at the last T over at 500."""
    part = data.isel(part=0)
    counts = part.sparq
    if per_iteration:
        counts = counts.differentiate("round")
    quantity = "operations per iteration" if per_iteration else "operations"
    return _over_bound(f"{quantity} over the bound", counts / part.sparq_bound, counts)


def sparq_over_cubic(data: xr.Dataset) -> Measured:
    """SparQ's operations over T^3: at the last T over at 500, and from which T they are fewer."""
    part = data.isel(part=0)
    ratio = part.sparq / part["round"].astype(float) ** 3
    fewer = part["round"].values[ratio.values < 1]
    measured = _over_bound("operations over $T^3$", ratio, part.sparq)
    since = f"fewer than $T^3$ from $T = {fewer[0]:,}$ on" if len(fewer) else "never fewer than $T^3$ here"
    return replace(measured, note=f"{measured.note}; {since}, with constants 1")


def w_sparq_total(data: xr.Dataset, alpha: float, alpha_tilde: float) -> Measured:
    """W-SparQ's operations over the bound, at the last T over at 500."""
    part = at(data.isel(part=0), alpha=alpha, alpha_tilde=alpha_tilde)
    counts = part.dpp + part.regressions
    return replace(_over_bound("operations over the bound", counts / part.bound, counts), claimed=None)


def orders(share: float) -> tuple[float, float]:
    """Exponents of T, without logarithms, of W-SparQ's operations, share = alpha_tilde / alpha: of one DPP in
    each of the T^(1 - share) windows, and of the regressions."""
    return 2.0 - share, 2.0 + 2.0 * share


def regression_share(data: xr.Dataset, alpha: float, alpha_tilde: float) -> Measured:
    """Share of the regressions in W-SparQ's operations at the last T."""
    part = at(data.isel(part=0), alpha=alpha, alpha_tilde=alpha_tilde)
    share = part.regressions / (part.dpp + part.regressions)
    value = float(share[-1])
    note = f"$T = {int(share['round'][-1]):,}$; {float(share.sel(round=500)):.2g} at $T = 500$"
    return Measured("share of the regressions", Estimate.exact(value), None, note)


def against_alpha_tilde(data: xr.Dataset, alpha: float, horizon: int, names: tuple[str, ...]) -> Measured:
    """A sum of counts at the largest alpha_tilde over that at the smallest."""
    part = at(data.isel(part=0), alpha=alpha, round=horizon)
    counts = np.sum([part[name].values.astype(float) for name in names], axis=0)
    tildes, value = part.alpha_tilde.values, float(counts[-1] / counts[0])
    what = "$N_T$" if names == ("queries",) else "operations"
    quantity = rf"{what} at $\tilde α = {tildes[-1]:g}$ over those at {tildes[0]:g}"
    return Measured(quantity, Estimate.exact(value), None, f"$T = {horizon}$, counted")


def residual_monotone(data: xr.Dataset) -> Measured:
    """Largest change of tr(K - U) by adding inputs to both sets, over the trace before; 0 or less."""
    change = ((data.after - data.before) / data.before).values
    value = float(change.max())
    note = f"{change.size} subsets of runs, 5 inputs added; all computed"
    return Measured("largest relative change", Estimate.exact(value), Holds(value <= _ROUNDING), note)


def spectrum_tail(data: xr.Dataset, part: str) -> Measured:
    """Lambda_Q / T at the largest T against the bound; vacuous above M_k^2, its largest value."""
    last = at(data, part=part).isel(time=-1)
    bound, largest = float(last.tail_bound), float(last.largest_tail)
    claimed = Vacuous() if bound >= largest else Within(most=bound)
    note = f"$T = {int(last.time)}$, $Q = {int(last['size'])}$; bound {bound:.3g}, $M_k^2 = {largest:g}$"
    return Measured("$Λ_Q / T$", mean_interval(last.spectrum_tail.values), claimed, note)


def _over_bound(quantity: str, ratio: xr.DataArray, counts: xr.DataArray) -> Measured:
    first, last = 500, int(ratio["round"][-1])
    value = float(ratio[-1] / ratio.sel(round=first))
    ends = counts.sel(round=[last // 10, last], method="nearest")
    slope = float(np.diff(np.log(ends))[0] / np.diff(np.log(ends["round"].astype(float)))[0])
    note = f"1 or less: does not outgrow the bound; count grows as $T^{{{slope:.2f}}}$ at the end"
    return Measured(
        f"{quantity}, $T = {last:,}$ over $T = {first}$",
        Estimate.exact(value),
        Trend(most=1.0),
        note,
    )
