"""Tuned settings of runs that were played at every setting: each run at what is best for the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

PRINTED = "printed"  # the method's own width, beside constants


def chosen(regret: np.ndarray) -> np.ndarray:
    """Index of the setting with the least mean regret over the other runs, for each run, (runs,).

    regret: (settings, runs), NaN for a setting that is not played. The first of equal ones. ValueError for
    fewer than two runs.
    """
    if regret.shape[1] < 2:
        raise ValueError(f"tuning: {regret.shape[1]} run, expected 2 or more, as each is tuned on the others")
    others = regret.sum(axis=1, keepdims=True) - regret
    return np.argmin(np.where(np.isnan(others), np.inf, others), axis=0)


def held_out(regret: xr.DataArray, over: Sequence[str], *values: xr.DataArray) -> list[xr.DataArray]:
    """Regret, and other values with the same dimensions, of each run at the setting `chosen` for it among
    all combinations of the dimensions `over`; the other dimensions, among them seed, remain."""
    stacked = [each.stack(setting=list(over)) for each in (regret, *values)]
    rest = [str(dim) for dim in stacked[0].dims if dim not in ("setting", "seed")]
    ordered = [each.transpose(*rest, "setting", "seed") for each in stacked]
    tables = ordered[0].values
    best = np.empty((*tables.shape[:-2], tables.shape[-1]), dtype=int)
    for index in np.ndindex(tables.shape[:-2]):
        best[index] = chosen(tables[index])
    return [
        xr.DataArray(
            np.take_along_axis(each.values, best[..., None, :], axis=-2)[..., 0, :],
            dims=(*rest, "seed"),
            coords={dim: regret[dim] for dim in (*rest, "seed") if dim in regret.coords},
        )
        for each in ordered
    ]
