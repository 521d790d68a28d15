"""Times of a step of Thompson sampling, from the analysis `step_cost`."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.results.statistics import log_slopes


def series(data: xr.Dataset, method: str, axis: str) -> tuple[np.ndarray, np.ndarray]:
    """t ("rounds") or G ("candidates") and mean seconds of a method, both (n,), ascending, at
    the most common value of the other."""
    other = "candidates" if axis == "rounds" else "rounds"
    part = data.isel(part=int(np.flatnonzero(data.method.values == method)[0]))
    here = part[other].values == most_common(data, other)
    x, y = part[axis].values[here], part.seconds.mean("seed").values[here]
    order = np.argsort(x)
    return x[order], y[order]


def slope(x: np.ndarray, y: np.ndarray, last: int = 3) -> float:
    """Least-squares slope of log y on log x over the last points."""
    return float(log_slopes(x[-last:], y[-last:]))


def most_common(data: xr.Dataset, name: str) -> float:
    """The most common value of a setting."""
    values, counts = np.unique(data[name].values, return_counts=True)
    return float(values[counts.argmax()])
