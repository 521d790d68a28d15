"""What readings cost and save on a real field, under the model chosen in training; one field per part.

The model is of logarithms where they pay in training (`tvgp.study.fit.scale`). A fixed number of readings is
made at the largest mu + 1.5 sigma, before the choice or after it, and all sites after it; before the choice
also as many as pay at a price, by Pandora's index, the knowledge gradient and that of pairs. Prices are
shares of the spread between the sites: the standard deviation of a round's readings, averaged over the
training part. The record is one path, whose rounds are the sample (`tvgp.study.results.blocks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import xarray as xr

from tvgp.contracts import Moment
from tvgp.study.data import field
from tvgp.study.fit import scale
from tvgp.study.run import field_player

MOMENTS: tuple[Moment, ...] = ("before", "after")
RULES = ("pandora", "knowledge_gradient", "pairs")
_READS = "pandora_gp_ucb"


def uses(**_: Any) -> tuple[str, ...]:
    """The modules of the environment and of the policy."""
    return ("tvgp.environments.field", f"tvgp.policies.{_READS}")


def run(
    seeds: Sequence[int],
    data: tuple[field.Field, field.Field],
    dataset: str,
    rounds: int | None = None,
    numbers: Sequence[int] = (0, 1, 2, 3, 5, 8),
    shares: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.4),
    rules: Sequence[str] = RULES,
    coordinates: str | None = None,
) -> xr.Dataset:
    """fixed_regret (moment, number, seed, round) and every_regret (seed, round), of all sites after the
    choice; rule_regret and rule_queries (rule, share, seed, round). Also spread, in the units of the field,
    and c and origin of the model's logarithms, NaN where it is of the values themselves.

    data: training and test part; rounds: of the test part, all if None; coordinates: of the sites, where the
    dataset itself is played without positions.
    """
    train, test = (part.placed(coordinates) for part in data)
    model = scale.choose(train)[0].model
    environment, horizon = field_player.opened(test, rounds)
    spread = field.spread(train.value)
    c, origin = (np.nan, np.nan) if model.scale is None else astuple(model.scale)
    fixed = np.empty((2, len(numbers), len(seeds), horizon))
    every = np.empty((len(seeds), horizon))
    paid = np.empty((2, len(rules), len(shares), len(seeds), horizon))
    for s, seed in enumerate(seeds):
        play = field_player.under(environment, horizon, model, ("price_on_fields", dataset, seed))
        same = {"rule": "upper_bound", "model": "field"}
        for m, moment in enumerate(MOMENTS):
            for n, number in enumerate(numbers):
                fixed[m, n, s] = play(_READS, moment, **same, number=number).regret
        every[s] = play(_READS, "after", **same, number=len(environment.arms)).regret
        for r, rule in enumerate(rules):
            for p, share in enumerate(shares):
                found = play(_READS, "before", rule=rule, model="field", price=share * spread)
                paid[:, r, p, s] = found.regret, found.expert_queries
    dims = ("rule", "share", "seed", "round")
    return xr.Dataset(
        {
            "fixed_regret": (("moment", "number", "seed", "round"), fixed),
            "every_regret": (("seed", "round"), every),
            "rule_regret": (dims, paid[0]),
            "rule_queries": (dims, paid[1]),
            "spread": spread,
            "c": c,
            "origin": origin,
        },
        coords={"moment": list(MOMENTS), "number": list(numbers), "rule": list(rules)}
        | {"share": [float(share) for share in shares], "round": np.arange(1, horizon + 1)},
    )
