"""Janz20, Table 1: regret as a share of uniform play's, ours beside the paper's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp import collected as results
from tvgp.claims.janz20 import DIMENSIONS, FRACTIONS, LABELS
from tvgp.statistics import mean_interval

COLUMNS = ("d", "method", "runs", "published", "ours", "low", "high", "least", "most",
           "published_inside")  # fmt: skip


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (d, method).

    `low`, `high`: 95 % interval of the mean over runs; `least`, `most`: single runs;
    `published_inside`: whether the published share lies in the interval.
    """
    parts = {results.name(data): data for data in collected}
    table = []
    for (experiment, variant), published in FRACTIONS.items():
        d = DIMENSIONS[experiment]
        if experiment not in parts:
            continue
        part = results.at_alpha(parts[experiment])
        if variant not in part.policy.values:
            continue
        share = results.fraction_of_uniform(part, variant)
        ours = mean_interval(share)
        inside = "" if np.isnan(ours.low) else "yes" if ours.low <= published <= ours.high else "no"
        values = (d, LABELS[variant], len(share), published, ours.mean, ours.low, ours.high,
                  share.min(), share.max(), inside)  # fmt: skip
        table.append(dict(zip(COLUMNS, values, strict=True)))
    return pd.DataFrame(table, columns=COLUMNS)
