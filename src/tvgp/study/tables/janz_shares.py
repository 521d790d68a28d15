"""Janz20, Table 1, by both readings of "fraction of the regret incurred by pulling the arms uniformly"."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from tvgp.study import results
from tvgp.study.papers.janz20 import DIMENSIONS, FRACTIONS, LABELS
from tvgp.study.results.janz20 import inside
from tvgp.study.results.statistics import mean_interval, ratio_of_means

COLUMNS = (
    *("experiment", "d", "method", "runs", "published"),
    *("mean_of_shares", "mean_low", "mean_high", "mean_inside"),
    *("share_of_means", "share_low", "share_high", "share_inside"),
)


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, method); experiments: those of the paper, and those with more functions.

    mean_of_shares: mean over runs of the regret over that of uniform play in the same run; share_of_means:
    mean regret over mean regret of uniform play; both with 95 % intervals (the second by the delta method)
    and whether the published share lies in them.
    """
    table = []
    for data in collected:
        part, paper = results.at_alpha(data), results.name(data).removesuffix("_more")
        for variant, label in LABELS.items():
            published = FRACTIONS[paper, variant]
            shares = mean_interval(results.fraction_of_uniform(part, variant))
            means = ratio_of_means(
                results.final_average(part, variant), results.final_average(part, "uniform")
            )
            row = [results.name(data), DIMENSIONS[paper], label, shares.runs, published]
            for each in (shares, means):
                row += [each.mean, each.low, each.high, inside(each, published)]
            table.append(row)
    return pd.DataFrame(table, columns=COLUMNS)
