"""The claim of Mauduit25b's Fig. 2 where one printed setting at a time is another: l, T or B."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import multiverse


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per part, rule of SparQ's queries, alpha and width, epsilon by likelihood: length_scale,
    horizon and norm_bound of the part, then the largest difference and its verdict, as in `multiverse`."""
    (data,) = collected
    return pd.DataFrame(
        [
            {
                **{
                    axis: float(data[axis].sel(part=part))
                    for axis in ("length_scale", "horizon", "norm_bound")
                },
                **{factor: multiverse.word(at[factor]) for factor in ("rule", "alpha", "width")},
                **difference.columns("difference", ""),
                "verdict": multiverse.verdict(difference),
                "runs": difference.runs,
            }
            for part in map(str, data.part.values)
            for at, difference in multiverse.cells(data.sel(part=[part]))
            if at["epsilon"] == multiverse.LIKELIHOOD
        ]
    )
