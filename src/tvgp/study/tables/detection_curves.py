"""Changes found soon and false alarms at each threshold of the policies that restart."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import presentation
from tvgp.study.results.detection import by_clock
from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (policy, threshold, kind of change): share of the changes found within `within` rounds and
    false alarms per run without a change, with 95 % intervals; by_clock: the share that restarts at equal
    distances find with as many false alarms."""
    (data,) = collected
    table = []
    within, rounds = int(data.within.max()), int(data.rounds.max())
    for part in data.part.values.tolist():
        one = data.sel(part=part).dropna("threshold", how="all", subset=["found"])
        for threshold in one.threshold.values.tolist():
            at = one.sel(threshold=threshold)
            false = mean_interval(at.false_alarms.sel(change="none").values)
            for change in at.change.values.tolist():
                if change == "none":
                    continue
                found = mean_interval(at.found.sel(change=change).values)
                table.append(
                    {
                        "policy": part,
                        "method": presentation.label(part),
                        "threshold": threshold,
                        "change": change,
                        "within": within,
                        "runs": found.runs,
                        **found.columns("found"),
                        **false.columns("false_alarms", "false_"),
                        "by_clock": float(by_clock(false.mean, within, rounds)),
                    }
                )
    return pd.DataFrame(table)
