"""What readings cost and save on a real field; one field and one setting per part.

The model is the best in training, or the best of those with one kind of memory, and of logarithms where they
pay in training (`tvgp.study.fit.scale`). Readings come before the choice, or after it for the next one: a
fixed number at the largest mu + 1.5 sigma, every site, or as many as pay at a price, by the rules of `RULES`.
Prices are shares of the spread between the sites: the standard deviation of a round's readings, averaged over
the training part. The record is one path, whose rounds are the sample (`tvgp.study.results.blocks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp.contracts import Environment, Moment
from tvgp.fitting.field_choice import CANDIDATES, TIMES
from tvgp.study.data import field
from tvgp.study.fit import scale
from tvgp.study.run import field_player

MOMENTS: tuple[Moment, ...] = ("before", "after")
RULES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "pandora": {"rule": "pandora"},
        "knowledge_gradient": {"rule": "knowledge_gradient"},
        "pairs": {"rule": "pairs"},
        # the index without what it learns of its own errors
        "variances_as_modelled": {"rule": "pandora", "learn_scale": False},
        "prices_as_given": {"rule": "pandora", "learn_gain": False},
    }
)
_READS = "pandora_gp_ucb"


def uses(**_: Any) -> tuple[str, ...]:
    """The modules of the environment and of the policy."""
    return ("tvgp.environments.field", f"tvgp.policies.{_READS}")


def run(
    seeds: Sequence[int],
    data: tuple[field.Field, field.Field],
    dataset: str,
    rounds: int | None = None,
    time: str | None = None,
    width: float = 0.5,
    numbers: Sequence[int] = (0, 1, 2, 3, 5, 8),
    shares: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.4),
    rules: Sequence[str] = tuple(RULES),
    coordinates: str | None = None,
) -> xr.Dataset:
    """fixed_* (moment, number, seed, round), every_* (moment, seed, round) and rule_* (moment, rule, share,
    seed, round): regret, queries and places, the distinct sites that are evaluated. Also informed (round),
    the regret of who plays the best site of the round before, known exactly; spread, in the units of the
    field; and c and origin of the model's logarithms, NaN where it is of the values themselves.

    data: training and test part; rounds: of the test part, all if None; time: of the model, static, one or
    two, None for the best of all; width: of plays without an answer, and after a fixed number of readings;
    coordinates: of the sites, where the dataset itself is played without positions. ValueError for an unknown
    rule, and for a time of which there is no model.
    """
    if unknown := [name for name in rules if name not in RULES]:
        raise ValueError(f"rules has {unknown[0]!r}, expected some of {', '.join(RULES)}")
    if time not in (None, *TIMES):
        raise ValueError(f"time is {time!r}, expected {', '.join(TIMES)}")
    train, test = (part.placed(coordinates) for part in data)
    model = scale.choose(train, [name for name in CANDIDATES if time in (None, name[2])])[0].model
    environment, horizon = field_player.opened(test, rounds)
    sites, spread = len(environment.arms), field.spread(train.value)
    c, origin = (np.nan, np.nan) if model.scale is None else astuple(model.scale)
    levels: dict[str, tuple[tuple[str, ...], list[dict[str, Any]]]] = {
        "fixed": (("number",), [{"rule": "upper_bound", "number": number} for number in numbers]),
        "every": ((), [{"rule": "upper_bound", "number": sites}]),
        "rule": (
            ("rule", "share"),
            [{**RULES[rule], "price": share * spread} for rule, share in product(rules, shares)],
        ),
    }
    grid: dict[str, list[Any]] = {
        "number": list(numbers),
        "rule": list(rules),
        "share": [float(s) for s in shares],
    }
    found = {
        name: np.empty((3, len(MOMENTS), len(settings), len(seeds), horizon))
        for name, (_, settings) in levels.items()
    }
    for s, seed in enumerate(seeds):
        play = field_player.under(environment, horizon, model, ("price_on_fields", dataset, seed))
        for name, (_, settings) in levels.items():
            for (m, moment), (k, setting) in product(enumerate(MOMENTS), enumerate(settings)):
                run = play(_READS, moment, model="field", width=width, **setting)
                found[name][:, m, k, s] = run.regret, run.expert_queries, run.places
    measured = {}
    for name, (dims, _) in levels.items():
        shape = (len(MOMENTS), *(len(grid[dim]) for dim in dims), len(seeds), horizon)
        for what, values in zip(("regret", "queries", "places"), found[name], strict=True):
            measured[f"{name}_{what}"] = (("moment", *dims, "seed", "round"), values.reshape(shape))
    return xr.Dataset(
        {
            **measured,
            "informed": ("round", _informed(environment, horizon)),
            "spread": spread,
            "c": c,
            "origin": origin,
        },
        coords={"moment": list(MOMENTS), **grid, "round": np.arange(1, horizon + 1)},
    )


def _informed(environment: Environment, horizon: int) -> np.ndarray:
    """Regret of the site that was best in the round before, among those with a value in both, (horizon,);
    that of random play where there is none."""
    regret, before = np.empty(horizon), np.full(len(environment.arms), np.nan)
    for i, t in enumerate(environment.times(horizon).tolist()):
        now = environment.mean_rewards(t)
        known = np.where(np.isfinite(now), before, np.nan)
        found = now[np.nanargmax(known)] if np.isfinite(known).any() else np.nanmean(now)
        regret[i], before = np.nanmax(now) - found, now
    return regret
