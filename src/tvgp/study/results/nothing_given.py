"""Regret with the model given and with nothing given, of the analysis `nothing_given`.

Shares of the regret of uniformly random play.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

GIVEN, LEARNT = "given", "learnt"


def share(data: xr.Dataset) -> xr.DataArray:
    """(part, policy, setting, width, seed)."""
    return (data.regret / data.random).transpose("part", "policy", "setting", "width", "seed")


def mean_ranks(data: xr.Dataset) -> xr.DataArray:
    """Mean rank over the problems of each policy among those of one setting and width, (policy, setting,
    width); 1 is the least regret, ties share a rank."""
    from scipy.stats import rankdata  # slow to import

    means = share(data).mean("seed")
    return means.copy(data=rankdata(means, axis=means.dims.index("policy"))).mean("part")


def costs(data: xr.Dataset) -> xr.DataArray:
    """Mean regret learnt over that given, (part, policy, width)."""
    means = share(data).mean("seed")
    found: xr.DataArray = means.sel(setting=LEARNT, drop=True) / means.sel(setting=GIVEN, drop=True)
    return found


def typical(ratios: xr.DataArray) -> float:
    """Geometric mean."""
    return float(np.exp(np.log(ratios.values).mean()))
