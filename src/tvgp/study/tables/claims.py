"""Every published number and statement that runs can check, beside ours, with the verdict of
`tvgp.study.claims.judge`.
"""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import claims, results
from tvgp.study.claims.judge import judge


def rows(collected: list[xr.Dataset], parameters: Parameters) -> pd.DataFrame:
    """One row per claim and experiment that was run; one row per claim without a run."""
    parts = {
        results.name(data): data if results.is_analysis(data) else results.at_alpha(data)
        for data in collected
    }
    return pd.DataFrame([row for claim in claims.CLAIMS for row in judge(claim, parts)])
