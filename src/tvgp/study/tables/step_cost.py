"""Time of a step of Thompson sampling: fitted growth beside the stated orders, and the ratio to
sparse sampling (Vakili21, Table 1). Measured, so it differs from run to run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.papers.vakili21 import STATED
from tvgp.study.results.step_cost import series, slope

METHODS = ("textbook", "joint", "pathwise", "points")
# The work of one step per method, in the comparison at a single size.
WORK = {
    "textbook": "exact: $K + τ I$ and the joint covariance factorised anew",
    "joint": "exact: root of the joint covariance updated",
    "pathwise": "exact: prior draw corrected at the data, factor grows",
    "points": "sparse, rule (6)",
    "features": "sparse, rule (7)",
}
COLUMNS = (
    "analysis",
    "kernel",
    "method",
    "against",
    "from",
    "to",
    "seconds",
    "slope",
    "stated",
    "functions",
    "over_points",
    "over_features",
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per method and axis with `seconds` at its largest value; one row per method of an
    analysis at a single size. CPU seconds of a step, means over runs.

    `functions`: number that a draw combines over the candidates, apart from the prior's: the rank
    of the prior for "joint", arms played for "pathwise", m for sparse sampling. `over_points`,
    `over_features`: the time over that of sparse sampling, rules (6) and (7), same kernel.
    """
    table = []
    for data in collected:
        table += _sweeps(data) if data.sizes["setting"] > 1 else _ratios(data)
    return pd.DataFrame(table, columns=COLUMNS)


def _sweeps(data: xr.Dataset) -> list[dict]:
    kernel = str(np.ravel(data.kernel)[0])
    table = []
    for axis in ("rounds", "candidates"):
        sparse = series(data, "points", axis)[1][-1]
        for method in METHODS:
            x, y = series(data, method, axis)
            table.append(
                {
                    "analysis": results.name(data),
                    "kernel": kernel,
                    "method": method,
                    "against": "t" if axis == "rounds" else "G",
                    "from": x[0],
                    "to": x[-1],
                    "seconds": y[-1],
                    "slope": slope(x, y),
                    "stated": STATED[method, axis],
                    "over_points": y[-1] / sparse,
                }
            )
    return table


def _ratios(data: xr.Dataset) -> list[dict]:
    means = data.isel(setting=0).mean("seed")
    names = list(zip(map(str, data.kernel.values), map(str, data.method.values), strict=True))
    seconds = dict(zip(names, means.seconds.values, strict=True))
    functions = dict(zip(names, means.functions.values, strict=True))
    return [
        {
            "analysis": results.name(data),
            "kernel": kernel,
            "method": method,
            "seconds": value,
            "stated": WORK[method],
            "functions": functions[kernel, method],
            "over_points": value / seconds.get((kernel, "points"), np.nan),
            "over_features": value / seconds.get((kernel, "features"), np.nan),
        }
        for (kernel, method), value in seconds.items()
    ]
