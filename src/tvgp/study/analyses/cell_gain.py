"""Information gain gamma on the whole domain and in the cells of pi-GP-UCB (Janz20, section 4).

gamma = 1/2 log det(I + K / lambda) with lambda = 1 and the Matern 3/2 kernel on 30^d points: for the
greedy sequence of largest variance (within 1 - 1/e of the maximum), for the data of IGP-UCB, and the
largest over the cells of pi-GP-UCB in separate runs of several T rounds (Lemma 1: the first
partition, and so every cell, depends on T).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import xarray as xr

from tvgp import policies, posterior, streams
from tvgp.contracts import Policy
from tvgp.environments import matern_rkhs
from tvgp.environments.matern_rkhs import MaternRKHS
from tvgp.policies.igp_ucb import IGPUCB
from tvgp.policies.pi_gp_ucb import PiGPUCB
from tvgp.posterior import Lazy, Prior

# Horizons T of pi-GP-UCB, as shares of the longest.
_SHARES = (0.03, 0.1, 0.3, 1.0)


def uses(**parameters: Any) -> tuple[str, ...]:
    """The policies' modules."""
    return ("tvgp.policies.igp_ucb", "tvgp.policies.pi_gp_ucb")


def run(seeds: list[int], d: int = 2, horizon: int = 10000, greedy_horizon: int | None = None) -> xr.Dataset:
    """greedy, realised (seed, step), NaN beyond a quantity's own horizon; largest_cell, cells
    (seed, rounds): of runs of pi-GP-UCB of T = rounds.

    greedy_horizon: last round of the greedy sequence and of IGP-UCB, which are slow in d = 3; None
    for `horizon`.
    """
    steps = np.unique(np.geomspace(10, horizon, 19).round().astype(int))
    greedy_horizon = greedy_horizon or horizon
    igp_horizon = greedy_horizon if d > 2 else horizon
    rounds = np.unique([max(round(share * horizon), 1) for share in _SHARES])
    columns: dict[str, list] = {name: [] for name in ("greedy", "realised", "largest_cell", "cells")}
    greedy = None
    for seed in seeds:
        names = ("cell_gain", d, seed)
        environment = matern_rkhs.make(d, rng=streams.generator(*names, "environment"))
        if greedy is None:  # depends on the arms and the kernel only
            prior = Prior.of(environment.arms, environment.kernel)
            greedy = _greedy(prior, steps, greedy_horizon)
        columns["greedy"].append(greedy)
        columns["realised"].append(_realised(environment, names, steps, igp_horizon))
        largest, cells = zip(*(_cells(environment, names, T) for T in rounds), strict=True)
        columns["largest_cell"].append(largest)
        columns["cells"].append(cells)
    axes = {"greedy": "step", "realised": "step", "largest_cell": "rounds", "cells": "rounds"}
    return xr.Dataset(
        {name: (("seed", axes[name]), np.stack(rows)) for name, rows in columns.items()},
        coords={"step": steps, "rounds": rounds},
    )


def _greedy(prior: Prior, steps: np.ndarray, horizon: int) -> np.ndarray:
    engine = posterior.make(prior, 1.0, horizon=horizon, maxima_only=True)
    gain = np.full(len(steps), np.nan)
    for t in range(1, horizon + 1):
        lazy = isinstance(engine, Lazy) and t > 1
        engine.observe(engine.best_arm(1.0) if lazy else int(engine.variance.argmax()), 0.0)
        gain[steps == t] = 0.5 * engine.log_det
    return gain


def _realised(
    environment: MaternRKHS, names: tuple[str | int, ...], steps: np.ndarray, horizon: int
) -> np.ndarray:
    """Gain of the data of IGP-UCB at `steps`."""
    gain = np.full(len(steps), np.nan)
    for t, policy in _played(environment, "igp_ucb", names, horizon):
        if (steps == t).any():
            gain[steps == t] = cast(IGPUCB, policy).information_gain()
    return gain


def _cells(environment: MaternRKHS, names: tuple[str | int, ...], horizon: int) -> tuple[float, int]:
    """Largest gain of any cell of pi-GP-UCB during the run, and number of cells at the end."""
    ((_, last),) = deque(_played(environment, "pi_gp_ucb", names, horizon), maxlen=1)
    policy = cast(PiGPUCB, last)
    return policy.largest_gain(), len(policy.cells)


def _played(
    environment: MaternRKHS, name: str, names: tuple[str | int, ...], horizon: int
) -> Iterator[tuple[int, Policy]]:
    """(t, policy) after each round."""
    policy = policies.make(
        name,
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=1.0,
        norm_bound=environment.norm(1),
        delta=0.1,
        horizon=horizon,
        sub_gaussian=1.0,
    )
    f, rng = environment.mean_rewards(1), streams.generator(*names, "policy", name)
    noise = streams.generator(*names, "noise").uniform(-1.0, 1.0, horizon)
    for t in range(1, horizon + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(f[arm] + noise[t - 1]))
        yield t, policy
