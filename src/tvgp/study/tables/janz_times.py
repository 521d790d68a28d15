"""Janz20, Table 1: run time, ours beside the paper's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.papers.janz20 import DIMENSIONS, LABELS, SECONDS
from tvgp.study.results import janz20
from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (d, method): CPU seconds of a whole run on one core, 95 % interval of the mean,
    and the paper's time over ours where all its 10,000 rounds were timed."""
    data = collected[0]
    table = []
    for (experiment, variant), published in SECONDS.items():
        d = DIMENSIONS[experiment]
        selected = janz20.seconds(data, variant, d)
        if selected is None:
            continue
        ours = mean_interval(selected.isel(step=-1).values)
        rounds = int(selected.step.values[-1])
        table.append(
            {
                "d": d,
                "method": LABELS[variant],
                "runs": ours.runs,
                "rounds": rounds,
                **ours.columns("seconds", ""),
                "published_seconds": published,
                "ratio": published / ours.mean if rounds == 10000 else np.nan,
            }
        )
    return pd.DataFrame(table)
