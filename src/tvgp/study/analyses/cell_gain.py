"""Information gain gamma on the whole domain (Janz20, section 4); `partitions` has that of cells.

gamma = 1/2 log det(I + K / lambda) with lambda = 1 and the Matern 3/2 kernel on 30^d points: for the
greedy sequence of largest variance (within 1 - 1/e of the maximum) and for the data of IGP-UCB.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import xarray as xr

from tvgp import posterior, streams
from tvgp.environments import matern_rkhs
from tvgp.environments.matern_rkhs import MaternRKHS
from tvgp.policies.igp_ucb import IGPUCB
from tvgp.posterior import Prior
from tvgp.study.analyses.base.matern import played


def uses(**parameters: Any) -> tuple[str, ...]:
    """The policy's module."""
    return ("tvgp.policies.igp_ucb",)


def run(seeds: list[int], d: int = 2, horizon: int = 10000, greedy_horizon: int | None = None) -> xr.Dataset:
    """greedy, realised (seed, step), NaN beyond a quantity's own horizon.

    greedy_horizon: last round of the greedy sequence and of IGP-UCB, which are slow in d = 3; None
    for `horizon`.
    """
    steps = np.unique(np.geomspace(10, horizon, 19).round().astype(int))
    greedy_horizon = greedy_horizon or horizon
    igp_horizon = greedy_horizon if d > 2 else horizon
    columns: dict[str, list] = {"greedy": [], "realised": []}
    greedy = None
    for seed in seeds:
        names = ("cell_gain", d, seed)
        environment = matern_rkhs.make(d, rng=streams.generator(*names, "environment"))
        if greedy is None:  # depends on the arms and the kernel only
            prior = Prior.of(environment.arms, environment.kernel)
            greedy = _greedy(prior, steps, greedy_horizon)
        columns["greedy"].append(greedy)
        columns["realised"].append(_realised(environment, names, steps, igp_horizon))
    return xr.Dataset(
        {name: (("seed", "step"), np.stack(rows)) for name, rows in columns.items()}, coords={"step": steps}
    )


def _greedy(prior: Prior, steps: np.ndarray, horizon: int) -> np.ndarray:
    engine = posterior.make(prior, 1.0, horizon=horizon, maxima_only=True)
    gain = np.full(len(steps), np.nan)
    for t in range(1, horizon + 1):
        engine.observe(engine.best_arm(1.0), 0.0)
        gain[steps == t] = 0.5 * engine.log_det
    return gain


def _realised(
    environment: MaternRKHS, names: tuple[str | int, ...], steps: np.ndarray, horizon: int
) -> np.ndarray:
    """Gain of the data of IGP-UCB at `steps`."""
    gain = np.full(len(steps), np.nan)
    for t, _, policy in played(environment, "igp_ucb", names, horizon):
        if (steps == t).any():
            gain[steps == t] = cast(IGPUCB, policy).information_gain()
    return gain
