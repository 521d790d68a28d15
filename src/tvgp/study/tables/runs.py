"""The final numbers of every run, from which means, intervals and paired comparisons can be recomputed.

Variants of an experiment are compared in the same runs: mean and Student interval of the differences of
`regret`, paired by `number`, are those of the table `comparisons`, which joins blocks that resemble each
other (`tvgp.study.results.blocks.joined`).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from tvgp.study import results


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per (experiment, alpha, variant, run); on a fixed record, whose runs differ in ties and subsets
    only, one per block of its rounds, averaged over runs.

    sample, number: "run" and its seed, or "block" and its place; regret: R_T / T; queries, places: expert
    queries and distinct arms evaluated, per round.
    """
    found = []
    for data in collected:
        for alpha in map(str, data.alpha.values):
            part = results.at_alpha(data, alpha)
            found += [_of_variant(part, alpha, name) for name in results.variants(part)]
    return pd.concat(found, ignore_index=True)


def _of_variant(part: xr.Dataset, alpha: str, name: str) -> pd.DataFrame:
    regret, queries, places = (
        results.sampled(part, quantity, name) for quantity in ("regret", "expert_queries", "places")
    )
    blocks = "block" in part.attrs
    return pd.DataFrame(
        {
            "experiment": part.attrs["experiment"],
            "alpha": alpha,
            "policy": name,
            "sample": "block" if blocks else "run",
            "number": np.arange(1, len(regret) + 1) if blocks else part.seed.values,
            "regret": regret,
            "queries": queries,
            "places": places,
        }
    )
