"""Janz20, Table 1: regret as a share of uniform play's, ours beside the paper's, and where the
published share lies outside, what these runs say about the reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp import collected as results
from tvgp.claims.janz20 import DIMENSIONS, FRACTIONS, LABELS, WIDE
from tvgp.statistics import Estimate, mean_interval

COLUMNS = ("d", "method", "runs", "published", "ours", "low", "high", "published_inside", "least",
           "most", "reached_by", "wide", "wide_low", "wide_high", "inside_wide", "why")  # fmt: skip


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (d, method).

    `low`, `high`: 95 % interval of the mean over runs; `published_inside`: whether the published
    share lies in it; `least`, `most`: single runs, of which `reached_by` have the published share
    or more; `wide`: the same with gamma counted without its 1/2; `why`: see `reason`.
    """
    parts = {results.name(data): data for data in collected}
    table = []
    for (experiment, variant), published in FRACTIONS.items():
        if experiment not in parts:
            continue
        part = results.at_alpha(parts[experiment])
        if variant not in part.policy.values:
            continue
        share = results.fraction_of_uniform(part, variant)
        ours, wide = mean_interval(share), _wide(part, variant)
        values = (DIMENSIONS[experiment], LABELS[variant], len(share), published, ours.mean,
                  ours.low, ours.high, _inside(ours, published), share.min(), share.max(),
                  int((share >= published).sum()), wide.mean, wide.low, wide.high,
                  _inside(wide, published), reason(part, variant, published))  # fmt: skip
        table.append(dict(zip(COLUMNS, values, strict=True)))
    return pd.DataFrame(table, columns=COLUMNS)


def reason(part: xr.Dataset, variant: str, published: float) -> str:
    """What the runs say about a published share outside the interval of ours, else "".

    Each run has a function of its own. If the paper's shared one, its share is that of a function
    and may be any that single runs have; and its gamma may lack the 1/2.
    """
    share = results.fraction_of_uniform(part, variant)
    if _inside(mean_interval(share), published) != "no":
        return ""
    wide = _wide(part, variant)
    reached = int((share >= published).sum())
    among = "could" if share.min() <= published <= share.max() else "would not"
    words = [f"one function for all runs {among} give it ({reached} of {len(share)} reach it)"]
    if np.isfinite(wide.low):
        verdict = "would" if _inside(wide, published) == "yes" else "would not"
        words.append(f"gamma without its 1/2 {verdict}")
    return "; ".join(words)


def _wide(part: xr.Dataset, variant: str) -> Estimate:
    name = WIDE[variant]
    if name not in part.policy.values:
        return Estimate(np.nan, np.nan, np.nan, 0)
    return mean_interval(results.fraction_of_uniform(part, name))


def _inside(ours: Estimate, published: float) -> str:
    if np.isnan(ours.low):
        return ""
    return "yes" if ours.low <= published <= ours.high else "no"
