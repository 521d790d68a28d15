"""Every method at the width, and the value of its drift's parameter, that are best for the runs of other
seeds, beside its own width, of the analysis `equal_tuning`.

Intervals have level 95 % and are paired by run. The best method without an expert is the one with the least
mean in the same runs, which favours it slightly.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study.results import equal_tuning
from tvgp.study.results.statistics import mean_interval, paired_difference
from tvgp.study.results.tuning import PRINTED


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, policy): whether its own width is printed in a paper or ours, the width and
    the value of its drift's parameter chosen for most runs, whether that width is an end of the grid, regret
    in shares of that of random play, its change against the method's own width and default value, and its
    difference to the best other method without an expert, tuned likewise."""
    (data,) = collected
    return pd.DataFrame(row for part in map(str, data.part.values) for row in _of_part(data, part))


def _of_part(data: xr.Dataset, part: str) -> Iterator[dict]:
    tuned, untuned = equal_tuning.tuned(data), equal_tuning.untuned(data)
    means = tuned.regret.sel(part=part).mean("seed")
    free = [name for name in map(str, data.policy.values) if not tuned.queries.sel(policy=name).any()]
    grid = [width for width in map(str, data.width.values) if width != PRINTED]
    for name in map(str, data.policy.values):
        at = {"part": part, "policy": name}
        own, before = (runs.regret.sel(at).values for runs in (tuned, untuned))
        place, value = (equal_tuning.usual(each.sel(at)) for each in (tuned.width, tuned.value))
        width = str(data.width.values[place])
        best = min((n for n in free if n != name), key=lambda n: float(means.sel(policy=n)), default="")
        row = {
            "experiment": part,
            "policy": name,
            "own_width": "ours" if data.ours.sel(at).item() else "printed",
            "width": width,
            "end_of_grid": width in (grid[0], grid[-1]),
            "drift": str(data.drift.sel(at).item()),
            "value": str(data.setting.sel(at).values[value]),
            "units": "share of random play",
            "runs": len(own),
            **mean_interval(own).columns("regret"),
            **_compared("change", own, before),
        }
        if best:
            row |= _compared("against_best", own, tuned.regret.sel(part=part, policy=best).values)
        yield row | {"best_without_expert": best}


def _compared(name: str, own: np.ndarray, other: np.ndarray) -> dict[str, float | str]:
    difference = paired_difference(own, other)
    return {**difference.columns(name), f"{name}_verdict": difference.verdict}
