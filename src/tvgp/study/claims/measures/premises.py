"""Measurements of premises: what follows from a paper's own assumptions and definitions."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.claims.claim import Comparison, Holds, Measured, NotComparable, Trend
from tvgp.study.claims.measures.entries import at
from tvgp.study.results.statistics import Estimate, log_slopes
from tvgp.theory import bounds

_ROUNDING = 1e-12
_SLACK = 0.02  # of exponents of schedules, at the last two decades
_SOME_LAGS = 20  # lags over which growth is compared with what comes after them


def independent_deviations(data: xr.Dataset, alpha: float) -> Measured:
    """Corr(v_13, v_23) that variances growing like lag^alpha imply, against 0."""
    value = float(at(data.neighbours_correlation.isel(part=0), alpha=alpha))
    return _exact("correlation of $f_3 - f_1$ and $f_3 - f_2$", value, abs(value) < _ROUNDING, "exact")


def possible_variances(data: xr.Dataset, alpha: float) -> Measured:
    """Least eigenvalue of the covariance of eight deviations from one f_t, over the largest."""
    value = float(at(data.smallest_eigenvalue.isel(part=0), alpha=alpha))
    note = "below 0: no such $f$ exists"
    return _exact("least eigenvalue over the largest", value, value > -_ROUNDING, note)


def allowed_lag(data: xr.Dataset, alpha: float, horizon: int) -> Measured:
    """Longest lag at which |f| <= M_k B allows the variance sigma^2 lag^alpha."""
    value = int(at(data.longest_lag.isel(part=0), alpha=alpha))
    note = "$σ^2 = 0.01$, $B = 5$, $M_k^2 = 0.5$"
    return _exact("longest lag allowed", value, value >= horizon, note)


def assumed_changes(data: xr.Dataset, environment: str, variance: float) -> Measured:
    """Mean square change of f at lags 1, 2, 3, 5 over the assumed sigma^2 lag, alpha = 1: the largest."""
    change = at(data.mean_square_change.isel(part=0), environment=environment).sel(lag=[1, 2, 3, 5])
    ratio = (change / (variance * change.lag)).values
    note = f"{', '.join(f'{each:.3g}' for each in ratio)} at lags 1, 2, 3, 5; $σ^2 = {variance:g}$"
    return _exact("mean square change over the assumed", ratio.max(), bool(ratio.max() <= 1), note)


def returns_with_lag(data: xr.Dataset, environment: str) -> Measured:
    """Least mean square change at a lag above 20 over the largest at one of up to 20."""
    change = at(data.mean_square_change.isel(part=0), environment=environment)
    near = change.sel(lag=slice(None, _SOME_LAGS))
    far = change.sel(lag=slice(_SOME_LAGS + 1, None))
    value = float(far.min() / near.max())
    note = f"least at lag {int(far.lag[int(far.argmin('lag'))])}; above 1 if it grew"
    return _exact("mean square change, longer lags over shorter", value, value < 1, note)


def path_growth(data: xr.Dataset, environment: str, at_least: float) -> Measured:
    """Exponent of V_t over the second half of the run."""
    path = at(data.path_length.isel(part=0), environment=environment)
    end = int(path["round"][-1])
    ends = path.sel(round=[end // 2, end]).values
    value = float(np.log(ends[1] / ends[0]) / np.log(end / (end // 2)))
    note = "1: linear, as the motion never stops"
    return _exact("growth exponent of $V_t$", value, Trend(least=at_least), note)


def mean_precision(data: xr.Dataset, alpha: float, horizon: int, value: float) -> Measured:
    """Mean of sigma^2 S_tau under W-SparQ's schedule against a printed value."""
    found = float(at(data.mean_precision.isel(part=0), alpha=alpha, horizon=horizon))
    return _exact("mean of $σ^2 S_τ$", found, abs(found - value) <= 0.05, "to the printed digit")


def differing_orders(data: xr.Dataset) -> Measured:
    """Growth of (19) over (23) between the shortest and the longest horizon."""
    ratio = data.bound_ratio.isel(part=0)
    first, last = int(ratio.horizon[0]), int(ratio.horizon[-1])
    value = float(ratio[-1] / ratio[0])
    quantity = f"(19)/(23) at $T = {last:,}$ over {first}"
    return _exact(quantity, value, abs(value - 1) > 0.05, "1: the same order")


def uniform_variance(data: xr.Dataset, s: float, claimed: float) -> Measured:
    """Variance of U(-s^2, s^2), (2 s^2)^2 / 12."""
    value = (2.0 * s**2) ** 2 / 12.0
    note = f"printed formula: {claimed:.3g}"
    return _exact(f"variance at $s = {s:g}$", value, abs(value - claimed) < _ROUNDING, note)


def threshold_exponent(data: xr.Dataset, alpha: float, alpha_tilde: float) -> Measured:
    """Exponent of W-SparQ's queries for an alpha_tilde, against the printed (4a - 1)/(4a)."""
    value = float(bounds.w_sparq_query_exponent(alpha, alpha_tilde))
    claimed = (4.0 * alpha - 1.0) / (4.0 * alpha)
    holds = abs(value - claimed) < _ROUNDING
    return _exact(r"$1 - \tilde α/α$", value, holds, f"printed: {claimed:.4g}")


def schedule_growth(part: xr.Dataset, alpha: float, exponent: float, per_round: bool) -> Measured:
    """Exponent of W-SparQ's N_T / log T, or of N_T / (T log T), over its last two decades."""
    rounds = part["round"].values.astype(float)
    if alpha not in part.alpha.values or rounds[-1] < 10**7:
        raise NotComparable("the schedule was not counted to this horizon")
    asked = part.w_sparq.isel(part=0).sel(alpha=alpha).values
    late = rounds >= rounds[-1] / 100
    rate = asked[late] / np.log(rounds[late]) / (rounds[late] if per_round else 1.0)
    value = float(log_slopes(rounds[late], rate))
    quantity = r"exponent of $N_T / (T \log T)$" if per_round else r"exponent of $N_T / \log T$"
    claimed = Trend(exponent - _SLACK, exponent + _SLACK)
    return _exact(quantity, value, claimed, f"claimed: {exponent:.3g}")


def _exact(quantity: str, value: float, claimed: bool | Comparison, note: str) -> Measured:
    """A computed value, and whether the claim holds or what it says about the value."""
    comparison = Holds(claimed) if isinstance(claimed, bool) else claimed
    return Measured(quantity, Estimate.exact(value), comparison, note)
