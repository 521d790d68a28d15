"""What no number of queries after the choice can save: simulated, and by the formula."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results.statistics import mean_interval


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per model and rate: regret per round of who knows f_{t-1}, with a 95 % interval over runs, the
    floor of the formula, and the regret of random play."""
    (data,) = collected
    table = []
    for name in data.part.values:
        part = data.sel(part=name)
        informed = mean_interval(part.informed.values)
        table.append(
            {
                "model": part.model.item(),
                "rate": float(part.rate),
                **informed.columns("informed"),
                "floor": float(part.floor),
                "random": float(part.random.mean()),
                "runs": informed.runs,
            }
        )
    return pd.DataFrame(table)
