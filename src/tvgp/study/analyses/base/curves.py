"""Runs of one method over seeds and drift exponents, in the test beds' file format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp.simulate import Run
from tvgp.study.results import growth, subsets

Play = Callable[[int, float, str], tuple[Run, float]]


def policy_parameters(rule: str = "", width: float | None = None) -> Mapping[str, Any]:
    """The policy parameters of a subset rule, none for "", and of a constant width, none for None. ValueError
    for an unknown rule."""
    return {**(subsets.parameters(rule) if rule else {}), **({} if width is None else {"width": width})}


def of_runs(
    play: Play, seeds: Sequence[int], alphas: Sequence[float], horizon: int, rules: Sequence[str] = ()
) -> xr.Dataset:
    """cumulative_regret, cumulative_queries (seed, alpha, round), at rounds evenly spaced in log t
    (`growth.saved_rounds`); late_regret (seed, alpha), per round of the last tenth; random_play
    (seed, alpha). Given `rules`, all have a dimension rule in front.

    play: (seed, alpha, rule) -> the run, and the regret per round of uniformly random arms; without
    `rules` the rule is "". ValueError for fewer than 100 rounds.
    """
    if rules:
        each = [_of_rule(play, seeds, alphas, horizon, rule) for rule in rules]
        return xr.concat(each, "rule").assign_coords(rule=list(rules))
    return _of_rule(play, seeds, alphas, horizon, "")


def _of_rule(
    play: Play, seeds: Sequence[int], alphas: Sequence[float], horizon: int, rule: str
) -> xr.Dataset:
    rounds = growth.saved_rounds(horizon)
    regret = np.empty((len(seeds), len(alphas), len(rounds)))
    queries = np.empty(regret.shape, dtype=np.int64)
    late, random_play = np.empty(regret.shape[:2]), np.empty(regret.shape[:2])
    for i, j in np.ndindex(late.shape):
        run, random_play[i, j] = play(seeds[i], alphas[j], rule)
        regret[i, j] = np.cumsum(run.regret)[rounds - 1]
        queries[i, j] = np.cumsum(run.expert_queries, dtype=np.int64)[rounds - 1]
        late[i, j] = growth.late(run.regret)
    return xr.Dataset(
        {
            "cumulative_regret": (("seed", "alpha", "round"), regret),
            "cumulative_queries": (("seed", "alpha", "round"), queries),
            "late_regret": (("seed", "alpha"), late),
            "random_play": (("seed", "alpha"), random_play),
        },
        coords={"alpha": [float(a) for a in alphas], "round": rounds},
    )
