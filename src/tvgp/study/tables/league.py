"""The league: every method in every environment, at printed and tuned settings and several prices of a
query, with mean ranks over environments (`tvgp.study.results.league`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import xarray as xr

from tvgp.study.results import league


@dataclass(frozen=True)
class Parameters(league.Entrants):
    """prices: of a query per round, in units of the regret of uniform play."""

    prices: Sequence[float] = (0.0, 0.001, 0.01, 0.1)


def rows(collected: list[xr.Dataset], parameters: Parameters) -> pd.DataFrame:
    """One row per setting, price and method, best mean rank first. Ranks are among the methods of the setting
    played in all of its environments; `width`: whether the method's own width is printed in a paper or ours,
    or tuned; `tied_with_best`: whether its mean rank is within the critical difference (Nemenyi, 5 %) of the
    best. A column per environment has the cost, in units of the regret of uniform play there."""
    table = []
    for setting, found in league.blocks(collected, parameters.also).items():
        for price in parameters.prices:
            costs = found.costs(float(price))
            ranking = league.ranked(costs)
            best = pd.Series(ranking.mean_rank).min()
            block = pd.DataFrame(
                {
                    "setting": setting,
                    "price": float(price),
                    "policy": found.methods,
                    "label": found.labels,
                    "mean_rank": ranking.mean_rank,
                    "tied_with_best": ranking.mean_rank - best <= ranking.critical_difference,
                    "critical_difference": ranking.critical_difference,
                    "friedman_p": ranking.friedman,
                    "environments": len(found.environments),
                    "width": [
                        setting if setting == "tuned" else "ours" if own else "printed" for own in found.ours
                    ],
                    "queries_per_round": found.queries.mean(axis=1),
                }
            )
            for name, column in zip(found.environments, costs.T, strict=True):
                block[name] = column
            table.append(block.sort_values(["mean_rank", "policy"], ignore_index=True))
    return pd.concat(table, ignore_index=True)
