"""Reading results of Janz20: regret as a share of that of uniform play (Table 1), and run times."""

from __future__ import annotations

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.results.statistics import Estimate, mean_interval


def reason(part: xr.Dataset, variant: str, published: float, wide: str) -> str:
    """Possible reasons for a published share outside our interval, "" where it lies inside.

    Each run has its own function. If the paper's runs share one function, its share may be that of
    any single run here; its gamma may also lack the 1/2, as that of `wide` does.
    """
    share = results.fraction_of_uniform(part, variant)
    if inside(mean_interval(share), published) != "no":
        return ""
    ours = wide_share(part, wide)
    reached = int((share >= published).sum())
    among = "could" if share.min() <= published <= share.max() else "would not"
    reasons = [f"one function for all runs {among} give it ({reached} of {len(share)} reach it)"]
    if np.isfinite(ours.low):
        would = "would" if inside(ours, published) == "yes" else "would not"
        reasons.append(f"$γ$ without its 1/2 {would}")
    return "; ".join(reasons)


def wide_share(part: xr.Dataset, wide: str) -> Estimate:
    """Share of uniform play's regret of a variant that may not have been run."""
    if wide not in part.policy.values:
        return Estimate.exact(np.nan)
    return mean_interval(results.fraction_of_uniform(part, wide))


def inside(ours: Estimate, published: float) -> str:
    """Whether the interval holds the published value: yes, no, or "" without an interval."""
    if np.isnan(ours.low):
        return ""
    return "yes" if ours.low <= published <= ours.high else "no"


def seconds(data: xr.Dataset, variant: str, d: int) -> xr.DataArray | None:
    """CPU seconds of each run of a variant in d dimensions up to the steps timed, (seed, step), from the
    analysis `janz_times`; None where it was not timed."""
    part = f"{'pi' if variant == 'pi_gp_ucb' else 'igp'}_d{d}"
    if part not in data.part.values:
        return None
    return data.seconds.sel(part=part).transpose("seed", "step").dropna("step")
