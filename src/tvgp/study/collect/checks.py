"""Checks of collected results against a recomputation from the played arms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvgp import streams
from tvgp.study.run.world import World

TOLERANCE = 1e-9


def check(values: Mapping[str, np.ndarray], attributes: Mapping[str, Any], world: World) -> dict[str, Any]:
    """Number of values per check; ValueError, one line, for the first check that fails.

    values, attributes: of a collected file; world: that of its experiment.
    Checked: no NaN; arms were available; regret >= 0 and equal to max f_t - f_t(x_t); the reward
    equals f_t(x_t) + noise(t, x_t), so all policies share the same draws; expert queries are counts
    of available arms, and distinct places at most one more; the oracle has no regret.
    """
    experiment = attributes["experiment"]
    for name in ("reward", "regret"):
        _refuse(experiment, values, np.isnan(values[name]), f"{name} is NaN")
    _refuse(experiment, values, values["regret"] < 0, "regret is negative")
    _refuse(experiment, values, values["expert_queries"] < 0, "a negative number of queries")
    rounds = values["regret"].shape[3]
    for a, alpha in enumerate(values["alpha"]):
        for s, seed in enumerate(values["seed"]):
            environment = world.environment(str(alpha), int(seed))
            names = world.stream_names(str(alpha), int(seed))
            noise = streams.NoiseField(len(environment.arms), *names, "noise")
            law = environment.noise_law
            arms = values["arm"][:, a, s]
            played, drawn = np.empty(arms.shape), np.empty(arms.shape)
            best, available = np.empty(rounds), np.empty(rounds)
            for i, t in enumerate(environment.times(rounds).tolist()):  # a table could take gigabytes
                f = environment.mean_rewards(t)
                played[:, i] = f[arms[:, i]]
                best[i], available[i] = np.fmax.reduce(f), np.count_nonzero(np.isfinite(f))
                drawn[:, i] = noise.at(t)[arms[:, i]]
            drawn = environment.noise_std * streams.shaped(drawn, law)
            queries, regret = values["expert_queries"][:, a, s], values["regret"][:, a, s]
            places = values["places"][:, a, s]
            wrong = np.abs(best - played - regret) > TOLERANCE
            drift = np.abs(played + drawn - values["reward"][:, a, s]) > TOLERANCE
            for fault, message in (
                (np.isnan(played), "an unavailable arm was played"),
                (wrong, "regret differs from its recomputation"),
                (drift, "the reward differs from the common draws"),
                (queries > available, "more queries than available arms"),
                ((places < 1) | (places > queries + 1), "places are not 1 to 1 more than the queries"),
            ):
                _refuse(experiment, values, fault[:, None, None], message, a, s)
    oracle = values["regret"][values["algorithm"] == "oracle"]
    if oracle.any():
        raise ValueError(f"{experiment}: the oracle has regret")
    runs, count = int(np.prod(values["regret"].shape[:3])), int(values["regret"].size)
    return {
        "data": attributes["data"],
        "runs": runs,
        "regret recomputed from the arms": count,
        "rewards equal to the common draws": count,
        "values without NaN": 2 * count,
        "rounds with queries counted": count,
        "oracle rounds without regret": int(oracle.size),
    }


def _refuse(experiment: str, values: Mapping, fault: np.ndarray, text: str, a: int = 0, s: int = 0) -> None:
    """ValueError naming the first (policy, alpha, seed, round) with the fault."""
    if fault.any():
        p, i, j, t = np.argwhere(fault)[0]
        raise ValueError(
            f"{experiment}: {text}: policy {values['policy'][p]}, alpha {values['alpha'][a + i]}, "
            f"seed {values['seed'][s + j]}, round {t + 1}"
        )
