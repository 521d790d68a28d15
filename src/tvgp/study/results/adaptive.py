"""Reading the analysis `adaptive_alpha`: its cells, and quantities of a variant in a cell by run."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study.results.statistics import Estimate, ratio_of_means


def cells(data: xr.Dataset) -> dict[str, xr.Dataset]:
    """Each cell that was run, (seed, variant, ...): drifts by step and exponent, then environments."""
    found = {}
    for part in data.part.values:
        of_part = data.sel(part=part)
        for name in map(str, data.cell.values):
            cell = of_part.sel(cell=name)
            if np.isfinite(cell.regret.values).any():
                found[name] = cell

    def place(item: tuple[str, xr.Dataset]) -> tuple:
        name, cell = item
        drift = float(cell.step), float(cell.true_alpha)
        return np.isnan(drift[0]), *np.nan_to_num(drift), name

    return dict(sorted(found.items(), key=place))


def values(cell: xr.Dataset, quantity: str, variant: str) -> np.ndarray | None:
    """A quantity of every run of a variant, (seed,); None where it was not run."""
    if variant not in cell.variant.values:
        return None
    found = cell[quantity].sel(variant=variant).values
    return found if np.isfinite(found).all() else None


def curve(cell: xr.Dataset, family: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean queries (k,) and regret by run (seed, k) of the variants `<family>_<exponent>`, by queries."""
    names = [str(v) for v in cell.variant.values if str(v).startswith(f"{family}_")]
    found = [(values(cell, "queries", v), values(cell, "regret", v)) for v in names]
    points = sorted(((q.mean(), r) for q, r in found if q is not None and r is not None), key=lambda p: p[0])
    return np.array([q for q, _ in points]), np.array([r for _, r in points]).T


def at_queries(cell: xr.Dataset, family: str, queries: float) -> np.ndarray | None:
    """Regret by run, (seed,), of a family at a number of queries, linear in its logarithm between two
    variants; None outside their range."""
    asked, regret = curve(cell, family)
    if len(asked) < 2 or not asked[0] <= queries <= asked[-1]:
        return None
    x = np.log(np.maximum(asked, 1.0))
    return np.array([np.interp(np.log(max(queries, 1.0)), x, run) for run in regret])


def ratio(a: np.ndarray, b: np.ndarray) -> Estimate:
    """`ratio_of_means`; NaN where the mean of b is 0."""
    return ratio_of_means(a, b) if b.mean() else Estimate(np.nan, np.nan, np.nan, len(a))
