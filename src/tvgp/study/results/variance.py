"""Shares of the variance of a full factorial that its factors explain (Sobol' indices)."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr


def explained(mean: xr.DataArray, factors: Sequence[str]) -> float:
    """Share of the variance of a table, a dimension per factor, that these factors explain together: the
    variance of its means over all other factors, over its own. 0 where the table does not vary."""
    whole = float(mean.var())
    others = [dim for dim in mean.dims if dim not in factors]
    return float(mean.mean(others).var()) / whole if whole else 0.0


def first_order(mean: xr.DataArray) -> dict[str, float]:
    """What each factor explains by itself."""
    return {str(factor): explained(mean, [str(factor)]) for factor in mean.dims}


def total(mean: xr.DataArray) -> dict[str, float]:
    """What each factor explains by itself and with others: the rest of what all others explain."""
    whole = 1.0 if mean.var() else 0.0
    return {
        str(factor): whole - explained(mean, [str(dim) for dim in mean.dims if dim != factor])
        for factor in mean.dims
    }
