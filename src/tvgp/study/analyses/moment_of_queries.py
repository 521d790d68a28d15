"""When the expert is asked, about which arms, and how often: before the choice or after it, on one problem
per part.

Prices are shares of the regret per round of uniformly random play, which differs from problem to problem. All
methods but SparQ's have the same posterior, by default that of TV-GP-UCB.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from tvgp.contracts import Moment
from tvgp.study.analyses.base import problems
from tvgp.study.run.player import Player

MOMENTS: tuple[Moment, ...] = ("after", "before")
RULES = ("pandora", "knowledge_gradient", "pairs")
# The papers' rule of asking, about a subset of past inputs, and the reading of every arm.
SUBSETS = ("sparq_gp_ucb", "w_sparq_gp_ucb", "aw_sparq_gp_ucb", "yesterdays_best")


def uses(problem: str, **_: Any) -> tuple[str, ...]:
    """The modules of the problem and of the policies."""
    own = ("pandora_gp_ucb", "tv_gp_ucb", *SUBSETS)
    environment = problems.check(problem).environment
    return (f"tvgp.environments.{environment}", *(f"tvgp.policies.{name}" for name in own))


def run(
    seeds: Sequence[int],
    problem: str = "rkhs_sine",
    horizon: int = 500,
    model: str = "tv",
    epsilon: float = 0.03,
    width: float = 1.0,
    numbers: Sequence[int] = (0, 1, 2, 3, 5, 8, 12, 20),
    shares: Sequence[float] = (0.01, 0.03, 0.1, 0.3),
    rules: Sequence[str] = RULES,
    askers: Sequence[str] = SUBSETS,
) -> xr.Dataset:
    """Averages per round of regret, queries and distinct places evaluated:

    of a fixed number of queries, at the largest upper bounds: fixed_* (seed, moment, number);
    of queries while they pay: rule_* (seed, moment, rule, share); of the papers' subsets and of reading
    every arm: subset_* (seed, moment, asker).

    Also random (seed), the regret of uniformly random play, and informed (seed), that of playing the
    maximum of f_{t-1}, known exactly. model: whose posterior (a model of `pandora_gp_ucb`); epsilon: its
    rate of change; width: of SparQ's kind, and of plays after a fixed number of queries; rules, askers: of
    RULES and SUBSETS. ValueError for an unknown problem.
    """
    grids: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
        "fixed": (("moment", "number"), (2, len(numbers))),
        "rule": (("moment", "rule", "share"), (2, len(rules), len(shares))),
        "subset": (("moment", "asker"), (2, len(askers))),
    }
    found = {name: np.empty((3, len(seeds), *shape)) for name, (_, shape) in grids.items()}
    random, informed = np.empty((2, len(seeds)))
    for i, seed in enumerate(seeds):
        player, table = problems.open_problem("moment_of_queries", problem, horizon, seed)
        random[i] = problems.random_regret(table)
        informed[i] = _informed(table)
        play = partial(_measured, player)
        known = {"model": model, "epsilon": epsilon, "width": width, "horizon": horizon}
        for m, moment in enumerate(MOMENTS):
            for n, number in enumerate(numbers):
                found["fixed"][:, i, m, n] = play(
                    "pandora_gp_ucb", moment, rule="upper_bound", number=number, **known
                )
            for r, rule in enumerate(rules):
                for p, share in enumerate(shares):
                    price = float(share) * float(random[i])
                    found["rule"][:, i, m, r, p] = play(
                        "pandora_gp_ucb", moment, rule=rule, price=price, **known
                    )
            for s, name in enumerate(askers):
                own = {} if name == "yesterdays_best" else {"width": width, "horizon": horizon}
                found["subset"][:, i, m, s] = play(name, moment, **own)
    measured = ("regret", "queries", "places")
    return xr.Dataset(
        {
            **{
                f"{name}_{what}": (("seed", *dims), found[name][j])
                for name, (dims, _) in grids.items()
                for j, what in enumerate(measured)
            },
            "random": ("seed", random),
            "informed": ("seed", informed),
        },
        coords={
            "moment": list(MOMENTS),
            "number": list(numbers),
            "rule": list(rules),
            "share": [float(share) for share in shares],
            "asker": list(askers),
        },
    )


def _measured(player: Player, name: str, moment: Moment, **values: Any) -> tuple[float, float, float]:
    """Regret, queries and places per round of a policy."""
    run = player(name, moment, **values)
    return float(run.regret.mean()), float(run.expert_queries.mean()), float(run.places.mean())


def _informed(table: np.ndarray) -> float:
    """Regret per round of playing the maximum of f_{t-1}, from round 2 on."""
    now, before = table[1:], table[:-1]
    return float((now.max(axis=1) - now[np.arange(len(now)), before.argmax(axis=1)]).mean())
