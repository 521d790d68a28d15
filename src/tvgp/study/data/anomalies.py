"""Anomalies: values without each site's own level or season, both estimated on the training part.

A field with a season has most of its variance in the season, which a policy without a calendar cannot
use; its fit then explains the season as roughness or drift. Rewards become value - baseline, where the
baseline of a site is

site_mean   the mean of its training values
site_month  their mean in each calendar month
harmonic    a + sum_{h=1,2} b_h cos(2 pi h u) + c_h sin(2 pi h u), by least squares, u the time in years
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from tvgp.study.data.field import Field

KINDS = ("site_mean", "site_month", "harmonic")
BASELINE = "baseline"
_YEAR = 365.2425  # days
_LEAST_SPAN = 330  # days of training for a harmonic: a season seen in part has no amplitude


def anomalies(train: Field, test: Field, kind: str) -> tuple[Field, Field]:
    """Both parts without the baseline `kind` of the training part; the attribute `anomaly` names it, and
    `BASELINE` holds its coefficients by site, in JSON: the mean, twelve means, or a, b_1, c_1, b_2, c_2.

    ValueError for an unknown kind, a site without enough training values (one, one in each calendar month
    of either part, or twice the coefficients over nearly a year), naming it.
    """
    if kind not in KINDS:
        raise ValueError(f"anomaly {kind!r} is not one of: {', '.join(KINDS)}")
    designs = [_design(part.time, kind) for part in (train, test)]
    X = designs[0]
    span = (train.time[-1] - train.time[0]).astype("timedelta64[D]").astype(int)
    if kind == "harmonic" and span < _LEAST_SPAN:
        raise ValueError(f"anomaly harmonic: training spans {span} days, at least {_LEAST_SPAN} are needed")
    least = 2 * X.shape[1] if kind == "harmonic" else 1
    coefficients = np.empty((X.shape[1], train.value.shape[1]))
    for column, site in enumerate(train.site):
        seen = np.isfinite(train.value[:, column])
        if kind == "site_month":
            needed = np.any([design.any(axis=0) for design in designs], axis=0)
            without = np.flatnonzero(needed & ~X[seen].any(axis=0))
            if len(without):
                raise ValueError(
                    f"anomaly site_month: site {site} has no training value in calendar month"
                    f" {without[0] + 1}; use a longer training part, site_mean or harmonic"
                )
        if seen.sum() < least:
            raise ValueError(
                f"anomaly {kind}: site {site} has {seen.sum()} training values, {least} are needed"
            )
        coefficients[:, column] = np.linalg.lstsq(X[seen], train.value[seen, column], rcond=None)[0]
    parts = []
    baseline = json.dumps(dict(zip(train.site.tolist(), coefficients.T.tolist(), strict=True)))
    for part, design in zip((train, test), designs, strict=True):
        attrs = part.attrs | {"anomaly": kind, BASELINE: baseline}
        parts.append(replace(part, value=part.value - design @ coefficients, attrs=attrs))
    return parts[0], parts[1]


def _design(time: np.ndarray, kind: str) -> np.ndarray:
    """Regressors of the baseline, (times, coefficients)."""
    if kind == "site_mean":
        return np.ones((len(time), 1))
    if kind == "site_month":
        month = time.astype("datetime64[M]").astype(int) % 12
        return (month[:, None] == np.arange(12)).astype(float)
    days = time.astype("datetime64[m]").astype(int) / (24 * 60)
    angle = 2 * np.pi * days / _YEAR
    waves = [wave(h * angle) for h in (1, 2) for wave in (np.cos, np.sin)]
    return np.column_stack([np.ones(len(time)), *waves])
