"""Regret of methods that are all tuned alike, of the analysis `equal_tuning`.

Shares of the regret of uniformly random play. A tuned run is at the width and at the value of the drift's
parameter, where the method has one, that are best for the runs of other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from tvgp.study.results.tuning import PRINTED, held_out

_GRID = ["value", "width"]
_RUNS = ("part", "policy", "seed")


@dataclass(frozen=True)
class Runs:
    """regret, queries per round, each (part, policy, seed); width, value: places in the grid, likewise."""

    regret: xr.DataArray
    queries: xr.DataArray
    width: xr.DataArray
    value: xr.DataArray


def share(data: xr.Dataset) -> xr.DataArray:
    """Regret over that of random play, (part, policy, value, width, seed)."""
    return (data.regret / data.random).transpose("part", "policy", "value", "width", "seed")


def untuned(data: xr.Dataset) -> Runs:
    """Every method at its own width and default values."""
    return _at(data, share(data).sel(width=[PRINTED]).isel(value=[0]))


def tuned(data: xr.Dataset) -> Runs:
    """Every method tuned."""
    return _at(data, share(data))


def at_widths(data: xr.Dataset) -> xr.DataArray:
    """Regret at each width, only the drift's parameter tuned, (part, policy, width, seed)."""
    return held_out(share(data), ["value"])[0].transpose("part", "policy", "width", "seed")


def usual(places: xr.DataArray) -> int:
    """The place in the grid that most runs have, the first of several."""
    return int(np.argmax(np.bincount(places.values.astype(int))))


def _at(data: xr.Dataset, grid: xr.DataArray) -> Runs:
    """The runs at what is best in a part of the grid."""
    widths, values = (
        xr.DataArray(np.arange(data.sizes[dim]), dims=dim, coords={dim: data[dim]}).sel({dim: grid[dim]})
        for dim in ("width", "value")
    )
    queries = data.queries.sel(width=grid.width).isel(value=slice(grid.sizes["value"]))
    found = held_out(grid, _GRID, queries, *(xr.broadcast(grid, each)[1] for each in (widths, values)))
    return Runs(*(each.transpose(*_RUNS) for each in found))
