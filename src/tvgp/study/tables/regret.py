"""Average regret of every variant in every experiment, with its interval, cost and rank."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, alpha, variant), best first within an experiment.

    low and high end the 95 % confidence interval of the mean, taken over `sample`: runs or, on a fixed
    record, blocks of its rounds; sd is between these. queries: when a variant asks. The oracle and the best
    fixed arm, which know the future, have no rank, nor have variants that ask before they choose.
    """
    table = []
    for data in collected:
        for alpha in map(str, data.alpha.values):
            table += _of_experiment(results.at_alpha(data, alpha), alpha)
    return pd.DataFrame(table)


def _of_experiment(part: xr.Dataset, alpha: str) -> list[dict]:
    from scipy.stats import rankdata  # slow to import, and the report uses this module too

    names = sorted(results.variants(part), key=lambda name: (results.final_average(part, name).mean(), name))
    competing = [name for name in names if results.is_ranked(part, name)]
    averages = np.array([results.final_average(part, name).mean() for name in competing])
    rank = dict(zip(competing, rankdata(averages), strict=True))
    rounds = part.sizes["round"]
    table = []
    for name in names:
        final = results.joined(part, results.final_average(part, name))
        mean = results.average(part, name)
        queries = results.total_queries(part, name).mean()
        table.append(
            {
                "experiment": part.attrs["experiment"],
                "data": part.attrs["data"],
                "alpha": alpha,
                "policy": name,
                "label": results.label(part, name),
                "group": str(part.group.sel(policy=name).item()),
                "runs": part.sizes["seed"],
                "sample": results.sample_words(part, mean.runs),
                "rounds": rounds,
                **mean.columns("average_regret", ""),
                "sd": final.std(ddof=1) if len(final) > 1 else np.nan,
                "units": results.units(part),
                "queries": str(part.queries.sel(policy=name).item()),
                "expert_queries": queries,
                "evaluations_per_round": 1 + queries / rounds,
                "places_per_round": results.places_per_round(part, name).mean(),
                "rank": rank.get(name, np.nan),
            }
        )
    return table
