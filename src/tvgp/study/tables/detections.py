"""What the policies that restart detect: changes found, how soon, and false alarms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.results import presentation
from tvgp.study.results.statistics import mean_interval

# Of the part that is not a policy of the configuration.
LABELS = {"master_small": "MASTER + GP-UCB, thresholds times 0.000007, width 2"}


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (policy, kind of change): mean detections per run with a 95 % interval, share of the
    changes found, rounds until then, false alarms per run; empty where it has no meaning."""
    (data,) = collected
    table = []
    for part in data.part.values:
        for change in data.change.values:
            runs = data.sel(part=part, change=change)
            number = mean_interval(runs.detections.values)
            row = {
                "policy": str(part),
                "method": LABELS.get(str(part)) or presentation.label(str(part)),
                "change": str(change),
                **number.columns("detections"),
            }
            for name in ("found", "delay", "false_alarms"):
                values = runs[name].values
                known = values[np.isfinite(values)]
                row[name] = float(known.mean()) if len(known) else None
            table.append(row | {"runs": data.sizes["seed"]})
    return pd.DataFrame(table)
