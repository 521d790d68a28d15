"""Regret with kernel, noise, mean and drift given and with all of them learnt while playing."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import xarray as xr

from tvgp.study.results import nothing_given
from tvgp.study.results.statistics import mean_interval, paired_difference


def rows(collected: list[xr.Dataset]) -> pd.DataFrame:
    """One row per problem, policy and width, with regret given and learnt in shares of that of random play,
    and their paired difference with its interval. Problem "all": mean ranks over the problems among the
    policies of the same setting, and ratio, the geometric mean of learnt over given."""
    (data,) = collected
    return pd.DataFrame([*_of_problems(data), *_overall(data)])


def _of_problems(data: xr.Dataset) -> Iterator[dict]:
    runs, ratios = nothing_given.share(data), nothing_given.costs(data)
    for at in _places(data, list(map(str, data.part.values))):
        own = runs.sel(part=at["problem"], policy=at["policy"], width=at["width"])
        given, learnt = (own.sel(setting=name).values for name in (nothing_given.GIVEN, nothing_given.LEARNT))
        change = paired_difference(learnt, given)
        yield {
            **at,
            "runs": len(given),
            **mean_interval(given).columns("given"),
            **mean_interval(learnt).columns("learnt"),
            **change.columns("change"),
            "change_verdict": change.verdict,
            "ratio": float(ratios.sel(part=at["problem"], policy=at["policy"], width=at["width"])),
        }


def _overall(data: xr.Dataset) -> Iterator[dict]:
    ranks, ratios = nothing_given.mean_ranks(data), nothing_given.costs(data)
    for at in _places(data, ["all"]):
        place = {"policy": at["policy"], "width": at["width"]}
        yield {
            **at,
            "runs": data.sizes["seed"],
            "rank_given": float(ranks.sel(place, drop=True).sel(setting=nothing_given.GIVEN)),
            "rank_learnt": float(ranks.sel(place, drop=True).sel(setting=nothing_given.LEARNT)),
            "ratio": nothing_given.typical(ratios.sel(place)),
        }


def _places(data: xr.Dataset, problems: list[str]) -> Iterator[dict[str, str]]:
    for problem in problems:
        for policy in map(str, data.policy.values):
            for width in map(str, data.width.values):
                yield {"problem": problem, "policy": policy, "width": width}
