"""When the expert is asked, about which arms, and how often: before the choice or after it, on one problem
per part.

Prices are shares of the regret per round of uniformly random play, which differs from problem to problem. All
methods but SparQ's have the same posterior, by default that of TV-GP-UCB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Environment, Moment
from tvgp.kernels import Kernel
from tvgp.simulate import reward_table, simulate

MOMENTS: tuple[Moment, ...] = ("after", "before")
RULES = ("pandora", "knowledge_gradient")
# The papers' rule of asking, about a subset of past inputs, and the reading of every arm.
SUBSETS = ("sparq_gp_ucb", "w_sparq_gp_ucb", "aw_sparq_gp_ucb", "yesterdays_best")
NOISE_STD = 0.1

# 201 arms on [-50, 50], a squared exponential of length-scale 3 and variance .5
PROBLEMS: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "rkhs_sine": ("rkhs_sine", {"n_arms": 201}),
        "moving_bump": ("moving_bump", {"n_arms": 201}),
        "drift": ("drift", {"n_arms": 201, "alpha": 1.0, "step": NOISE_STD}),
        "draws": ("wiener", {"n_arms": 201}),
        "jumps": ("abrupt", {"n_arms": 201, "change": "draw", "changes": 4}),
    }
)


def uses(problem: str, **_: Any) -> tuple[str, ...]:
    """The modules of the problem and of the policies."""
    own = ("pandora_gp_ucb", "tv_gp_ucb", *SUBSETS)
    return (f"tvgp.environments.{PROBLEMS[problem][0]}", *(f"tvgp.policies.{name}" for name in own))


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
    if problem not in PROBLEMS:
        raise ValueError(f"problem is {problem!r}, expected {', '.join(PROBLEMS)}")
    grids: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
        "fixed": (("moment", "number"), (2, len(numbers))),
        "rule": (("moment", "rule", "share"), (2, len(rules), len(shares))),
        "subset": (("moment", "asker"), (2, len(askers))),
    }
    found = {name: np.empty((3, len(seeds), *shape)) for name, (_, shape) in grids.items()}
    random, informed = np.empty((2, len(seeds)))
    for i, seed in enumerate(seeds):
        environment, kernel = _problem(problem, seed, horizon)
        table = reward_table(environment, horizon)
        best = table.max(axis=1)
        random[i] = (best - table.mean(axis=1)).mean()
        informed[i] = _informed(table)
        play = _player(environment, kernel, table, (problem, horizon, seed))
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


def _problem(problem: str, seed: int, horizon: int) -> tuple[Environment, Kernel]:
    """The environment of a seed, and the kernel that all policies receive."""
    name, values = PROBLEMS[problem]
    known = environments.parameters(name)
    given: dict[str, Any] = {"horizon": horizon, "noise_std": NOISE_STD}
    given["rng"] = streams.generator("moment_of_queries", problem, seed, "environment")
    environment = environments.make(name, **values, **{key: given[key] for key in given if key in known})
    return environment, kernels.make("se", variance=0.5, length_scale=3.0)


def _player(
    environment: Environment, kernel: Kernel, table: np.ndarray, names: tuple[Any, ...]
) -> Callable[..., tuple[float, float, float]]:
    """Regret, queries and places per round of a policy. Its prior mean is the mean of f_1, the level that a
    fit would give."""
    level = float(table[0].mean())
    fields = streams.noise_fields(len(environment.arms), "moment_of_queries", *names)

    def play(name: str, moment: Moment, **values: Any) -> tuple[float, float, float]:
        if "prior_mean" in policies.parameters(name):
            values["prior_mean"] = level
        policy = policies.make(
            name, arms=environment.arms, kernel=kernel, noise_variance=NOISE_STD**2, **values
        )
        rng = streams.generator("moment_of_queries", *names, "policy", name)
        run = simulate(policy, environment, len(table), rng=rng, queries=moment, **fields)
        return float(run.regret.mean()), float(run.expert_queries.mean()), float(run.places.mean())

    return play


def _informed(table: np.ndarray) -> float:
    """Regret per round of playing the maximum of f_{t-1}, from round 2 on."""
    now, before = table[1:], table[:-1]
    return float((now.max(axis=1) - now[np.arange(len(now)), before.argmax(axis=1)]).mean())
