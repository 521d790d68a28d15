"""How often |mu - f| <= width x sigma holds, policy by policy."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import coverage


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per policy: see `tvgp.study.results.coverage.shares`."""
    return coverage.shares(collected[0])
