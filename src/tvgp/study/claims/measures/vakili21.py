"""Measurements for Vakili21: sparse beside exact Thompson sampling."""

from __future__ import annotations

import xarray as xr

from tvgp.study.claims.claim import Measured, Trend
from tvgp.study.claims.measures.entries import at
from tvgp.study.results.statistics import paired_difference


def same_regret(part: xr.Dataset, series: str, d: int, tolerance: float) -> Measured:
    """R_T of sparse Thompson sampling with m by the rule against exact Thompson sampling's, paired,
    relative to the latter's mean; the same where the whole interval is within the tolerance."""
    runs = part.regret.transpose("part", "size", "seed")
    sparse = at(runs, part=f"{series}_{d}d", size="rule").values
    exact = at(runs, part=f"exact_{d}d", size="exact").values
    ours = paired_difference(sparse / exact.mean(), exact / exact.mean())
    m = int(part.inducing.sel(part=f"{series}_{d}d", size="rule"))
    quantity = f"$R_T$ of {series}, $m = {m}$, minus exact, over the mean of exact"
    return Measured(quantity, ours, Trend(-tolerance, tolerance), f"same = within {tolerance:.0%}")
