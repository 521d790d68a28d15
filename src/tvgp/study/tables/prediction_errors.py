"""How well each variant's posterior mean predicts the field where its regret is measured.

    error(x) = 1/T sum_t (mu_t(x) - f_t(x))^2

by site x, mu_t before the round's own reading (Mauduit25b, Fig. 4).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, alpha, variant with predictions), least error first: the mean over sites, with
    its 95 % interval over runs, which on a record vary ties and subsets only, and the standard deviation over
    sites, the smoothness of the paper. units: those of the error."""
    found = []
    for data in collected:
        if "squared_error" in data:
            for alpha in map(str, data.alpha.values):
                part = results.at_alpha(data, alpha)
                predicted = np.isfinite(part.squared_error).any(("seed", "arm"))
                names = [name for name in results.variants(part) if predicted.sel(policy=name)]
                own = [_row(part, alpha, name) for name in names]
                found += sorted(own, key=lambda row: row["error"])
    columns = ("experiment", "alpha", "policy", "label", "runs", "error", "low", "high", "spread", "units")
    return pd.DataFrame(found, columns=columns)


def _row(part: xr.Dataset, alpha: str, name: str) -> dict[str, Any]:
    errors = part.squared_error.sel(policy=name).transpose("seed", "arm").values
    mean = mean_interval(np.nanmean(errors, axis=1))
    return {
        "experiment": part.attrs["experiment"],
        "alpha": alpha,
        "policy": name,
        "label": results.label(part, name),
        "runs": mean.runs,
        **mean.columns("error", ""),
        "spread": float(np.nanstd(errors, axis=1).mean()),
        "units": f"{results.units(part)}^2",
    }
