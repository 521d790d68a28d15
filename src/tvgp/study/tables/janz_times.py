"""Janz20, Table 1: run time, ours beside the paper's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.papers.janz20 import DIMENSIONS, LABELS, SECONDS
from tvgp.study.results import janz_times
from tvgp.study.results.statistics import mean_interval

COLUMNS = ("d", "method", "runs", "rounds", "seconds", "low", "high", "published_seconds", "ratio")


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (d, method): CPU seconds of a whole run on one core, 95 % interval of the mean,
    and the paper's time over ours where all its 10,000 rounds were timed."""
    data = collected[0]
    table = []
    for (experiment, variant), published in SECONDS.items():
        d = DIMENSIONS[experiment]
        selected = janz_times.seconds(data, variant, d)
        if selected is None:
            continue
        ours = mean_interval(selected.isel(step=-1).values)
        rounds = int(selected.step.values[-1])
        ratio = published / ours.mean if rounds == 10000 else np.nan
        values = (
            d,
            LABELS[variant],
            selected.sizes["seed"],
            rounds,
            ours.mean,
            ours.low,
            ours.high,
            published,
            ratio,
        )
        table.append(dict(zip(COLUMNS, values, strict=True)))
    return pd.DataFrame(table, columns=COLUMNS)
