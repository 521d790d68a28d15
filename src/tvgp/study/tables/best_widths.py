"""Every algorithm at the constant width that is best on training seeds, beside the width as printed.

Intervals have level 95 % and are paired by run. The best algorithm without an expert is the one with the
least mean in the same runs, which favours it slightly.
"""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.results.statistics import Estimate, mean_interval, paired_difference
from tvgp.study.tables.comparisons import verdict

SUFFIX = "_width"


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, variant with a tuned width): its width, whether that is an end of the
    grid, average regret, its change against the printed width, and its difference to the best other
    algorithm without an expert at the best width of that one."""
    table = []
    for data in collected:
        part = results.at_alpha(data)
        for name, record in widths(part).items():
            best, printed = best_without_expert(part, name), name.removesuffix(SUFFIX)
            own = results.final_average(part, name)
            row = {
                "experiment": part.attrs["experiment"],
                "policy": printed,
                "width": record["value"],
                "end_of_grid": record["at_edge_of_grid"],
                "units": results.units(part),
                "runs": len(own),
                **_columns("regret", mean_interval(own)),
            }
            for column, reference in (("change", printed), ("against_best", best)):
                if reference is not None and reference in part.policy.values:
                    difference = paired_difference(own, results.final_average(part, reference))
                    row |= _columns(column, difference) | {f"{column}_verdict": verdict(difference)}
            table.append(row | {"best_without_expert": best.removesuffix(SUFFIX) if best else ""})
    return pd.DataFrame(table)


def widths(part: xr.Dataset) -> dict[str, dict]:
    """Records of the variants with a tuned width, in file order."""
    records = results.tuned(part)
    return {n: records[n] for n in results.variants(part) if records.get(n, {}).get("parameter") == "width"}


def best_without_expert(part: xr.Dataset, variant: str) -> str | None:
    """The variant with the least regret among other algorithms at their best widths that ask no expert."""
    others = [n for n in widths(part) if n != variant and not results.total_queries(part, n).any()]
    return min(others, key=lambda name: results.final_average(part, name).mean(), default=None)


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
