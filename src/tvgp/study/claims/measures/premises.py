"""Measurements of premises: what follows from a paper's own assumptions and definitions."""

from __future__ import annotations

import numpy as np

from tvgp.study.claims.measures.verdict import NotComparable, at, exactly
from tvgp.theory import bounds

_ROUNDING = 1e-12
_SOME_LAGS = 20  # lags over which growth is compared with what comes after them


def words(data, why):
    """A matter of wording, which no computation decides."""
    raise NotComparable(why)


def independent_deviations(data, alpha):
    """Corr(v_13, v_23) that variances growing like lag^alpha imply, against 0."""
    found = float(at(data.neighbours_correlation.isel(part=0), alpha=alpha))
    verdict = "confirmed" if abs(found) < _ROUNDING else "contradicted"
    return "correlation of f_3 - f_1 and f_3 - f_2", exactly(found), verdict, "exact"


def possible_variances(data, alpha):
    """Least eigenvalue of the covariance of eight deviations from one f_t, over the largest."""
    found = float(at(data.smallest_eigenvalue.isel(part=0), alpha=alpha))
    verdict = "confirmed" if found > -_ROUNDING else "contradicted"
    return "least eigenvalue over the largest", exactly(found), verdict, "below 0: no such f exists"


def allowed_lag(data, alpha, horizon):
    """Longest lag at which |f| <= M_k B allows the variance sigma^2 lag^alpha."""
    found = int(at(data.longest_lag.isel(part=0), alpha=alpha))
    verdict = "confirmed" if found >= horizon else "contradicted"
    return "longest lag allowed", exactly(found), verdict, "sigma^2 = 0.01, B = 5, M_k^2 = 0.5"


def grows_with_lag(data, environment):
    """Least mean square change at a lag above 20 over the largest at one of up to 20."""
    change = at(data.mean_square_change.isel(part=0), environment=environment)
    near = change.sel(lag=slice(None, _SOME_LAGS))
    far = change.sel(lag=slice(_SOME_LAGS + 1, None))
    found = float(far.min() / near.max())
    verdict = "confirmed" if found > 1 else "contradicted"
    note = f"least at lag {int(far.lag[int(far.argmin('lag'))])}"
    return "mean square change, longer lags over shorter", exactly(found), verdict, note


def path_growth(data, environment, at_least):
    """Exponent of V_t over the second half of the run."""
    path = at(data.path_length.isel(part=0), environment=environment)
    end = int(path["round"][-1])
    ends = path.sel(round=[end // 2, end]).values
    found = float(np.log(ends[1] / ends[0]) / np.log(end / (end // 2)))
    verdict = "confirmed" if found >= at_least else "contradicted"
    return "growth exponent of V_t", exactly(found), verdict, "1: linear, as the motion never stops"


def mean_precision(data, alpha, horizon, value):
    """Mean of sigma^2 S_tau under W-SparQ's schedule against a printed value."""
    found = float(at(data.mean_precision.isel(part=0), alpha=alpha, horizon=horizon))
    verdict = "confirmed" if abs(found - value) <= 0.05 else "contradicted"
    return "mean of sigma^2 S_tau", exactly(found), verdict, "to the printed digit"


def gain_without_scale(data):
    """Information gain of all arms where the signal is doubled, over that where it is not."""
    gain = data.gain.isel(part=0)
    found = float(at(gain, scale=2.0) / at(gain, scale=1.0))
    verdict = "confirmed" if abs(found - 1) < 0.01 else "contradicted"
    return "information gain at twice the scale, ratio", exactly(found), verdict, "sigma^2 = 0.01"


def differing_orders(data):
    """Growth of (19) over (23) between the shortest and the longest horizon."""
    ratio = data.bound_ratio.isel(part=0)
    first, last = int(ratio.horizon[0]), int(ratio.horizon[-1])
    found = float(ratio[-1] / ratio[0])
    verdict = "confirmed" if abs(found - 1) > 0.05 else "contradicted"
    return f"(19)/(23) at T = {last:,} over {first}", exactly(found), verdict, "1: the same order"


def uniform_variance(data, s, claimed):
    """Variance of U(-s^2, s^2), (2 s^2)^2 / 12."""
    found = (2.0 * s**2) ** 2 / 12.0
    verdict = "confirmed" if abs(found - claimed) < _ROUNDING else "contradicted"
    return f"variance at s = {s:g}", exactly(found), verdict, f"printed formula: {claimed:.3g}"


def threshold_exponent(data, alpha, alpha_tilde):
    """Exponent of W-SparQ's queries for an alpha_tilde, against the printed (4a - 1)/(4a)."""
    found = float(bounds.w_sparq_query_exponent(alpha, alpha_tilde))
    claimed = (4.0 * alpha - 1.0) / (4.0 * alpha)
    verdict = "confirmed" if abs(found - claimed) < _ROUNDING else "contradicted"
    return "1 - alpha_tilde/alpha", exactly(found), verdict, f"printed: {claimed:.4g}"


def schedule_growth(part, alpha, exponent, per_round):
    """Exponent of W-SparQ's N_T / log T, or of N_T / (T log T), over its last two decades."""
    rounds = part["round"].values.astype(float)
    if alpha not in part.alpha.values or rounds[-1] < 10**7:
        raise NotComparable("not counted so far")
    asked = part.w_sparq.isel(part=0).sel(alpha=alpha).values
    late = rounds >= rounds[-1] / 100
    rate = asked[late] / np.log(rounds[late]) / (rounds[late] if per_round else 1.0)
    found = float(np.polyfit(np.log(rounds[late]), np.log(rate), 1)[0])
    verdict = "confirmed" if abs(found - exponent) < 0.02 else "contradicted"
    quantity = "exponent of N_T / (T log T)" if per_round else "exponent of N_T / log T"
    return quantity, exactly(found), verdict, f"claimed: {exponent:.3g}"


KINDS = (
    words,
    independent_deviations,
    possible_variances,
    allowed_lag,
    grows_with_lag,
    path_growth,
    mean_precision,
    gain_without_scale,
    differing_orders,
    uniform_variance,
    threshold_exponent,
    schedule_growth,
)
