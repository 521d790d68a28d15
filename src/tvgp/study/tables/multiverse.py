"""The claim of Mauduit25b's Fig. 2 in every cell of the multiverse."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study.results import multiverse


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per cell: its levels, the largest difference of SparQ or W-SparQ to one of the other five
    methods over the regret of random play, with the interval of that maximum, and the verdict on "below
    0"."""
    (data,) = collected
    return pd.DataFrame(
        [
            {
                **{factor: multiverse.word(level) for factor, level in at.items()},
                **difference.columns("difference", ""),
                "verdict": multiverse.verdict(difference),
                "runs": difference.runs,
            }
            for at, difference in multiverse.cells(data)
        ]
    )
