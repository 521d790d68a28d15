"""Run times of pi-GP-UCB and IGP-UCB, from the analysis `janz_times`."""

from __future__ import annotations

import xarray as xr


def seconds(data: xr.Dataset, variant: str, d: int) -> xr.DataArray | None:
    """CPU seconds of each run of a variant in d dimensions up to the steps timed, (seed, step); None
    where it was not timed."""
    part = f"{'pi' if variant == 'pi_gp_ucb' else 'igp'}_d{d}"
    if part not in data.part.values:
        return None
    return data.seconds.sel(part=part).transpose("seed", "step").dropna("step")
