"""Janz20, Table 1: regret as a share of uniform play's, ours beside the paper's, and possible
reasons where the published share lies outside our interval."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.papers.janz20 import DIMENSIONS, FRACTIONS, LABELS, WIDE
from tvgp.study.results.janz20 import inside, reason, wide_share
from tvgp.study.results.statistics import mean_interval


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
        ours, wide = mean_interval(share), wide_share(part, WIDE[variant])
        table.append(
            {
                "d": DIMENSIONS[experiment],
                "method": LABELS[variant],
                "runs": len(share),
                "published": published,
                **ours.columns("ours", ""),
                "published_inside": inside(ours, published),
                "least": share.min(),
                "most": share.max(),
                "reached_by": int((share >= published).sum()),
                **wide.columns("wide"),
                "inside_wide": inside(wide, published),
                "why": reason(part, variant, published, WIDE[variant]),
            }
        )
    return pd.DataFrame(table)
