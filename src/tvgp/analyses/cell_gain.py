"""Information gain gamma on the whole domain and in the cells of pi-GP-UCB (Janz20, section 4).

gamma = 1/2 log det(I + K / lambda) with lambda = 1 and the Matern 3/2 kernel on 30^d points: of
the greedy sequence of largest variance (within 1 - 1/e of the maximum), realised by IGP-UCB, and
the largest that any cell of pi-GP-UCB has had.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import policies, posterior, streams
from tvgp.environments import matern_rkhs
from tvgp.posterior import Lazy, Prior


def uses(**_) -> tuple[str, ...]:
    """The policies' modules."""
    return ("tvgp.policies.igp_ucb", "tvgp.policies.pi_gp_ucb")


def run(
    seeds: Sequence[int],
    d: int = 2,
    horizon: int = 10000,
    greedy_horizon: int | None = None,
    igp_horizon: int | None = None,
) -> xr.Dataset:
    """greedy, realised, largest_cell, cells (seed, step), NaN beyond a quantity's own horizon.

    The greedy sequence and IGP-UCB cost most in d = 3, hence horizons of their own; None is
    `horizon`, for IGP-UCB in d = 3 that of the greedy sequence.
    """
    steps = np.unique(np.geomspace(10, horizon, 19).round().astype(int))
    greedy_horizon = greedy_horizon or horizon
    igp_horizon = igp_horizon or (greedy_horizon if d > 2 else horizon)
    columns = {name: [] for name in ("greedy", "realised", "largest_cell", "cells")}
    greedy = None
    for seed in seeds:
        names = ("cell_gain", d, seed)
        environment = matern_rkhs.make(d, rng=streams.generator(*names, "environment"))
        if greedy is None:  # depends on the arms and the kernel only
            prior = Prior.of(environment.arms, environment.kernel)
            greedy = _greedy(prior, steps, greedy_horizon)
        columns["greedy"].append(greedy)
        realised, _, _ = _played(environment, "igp_ucb", names, steps, igp_horizon)
        _, largest, cells = _played(environment, "pi_gp_ucb", names, steps, horizon)
        columns["realised"].append(realised)
        columns["largest_cell"].append(largest)
        columns["cells"].append(cells)
    return xr.Dataset(
        {name: (("seed", "step"), np.stack(rows)) for name, rows in columns.items()},
        coords={"step": steps},
    )


def _greedy(prior: Prior, steps: np.ndarray, horizon: int) -> np.ndarray:
    engine = posterior.make(prior, 1.0, horizon=horizon, maxima_only=True)
    gain = np.full(len(steps), np.nan)
    for t in range(1, horizon + 1):
        lazy = isinstance(engine, Lazy) and t > 1
        engine.observe(engine.best_arm(1.0) if lazy else int(engine.variance.argmax()), 0.0)
        gain[steps == t] = 0.5 * engine.log_det
    return gain


def _played(environment, name: str, names: tuple, steps: np.ndarray, horizon: int):
    """Gain of the whole data, largest gain of any cell so far, number of cells, at `steps`."""
    policy = policies.make(
        name, arms=environment.arms, kernel=environment.kernel, noise_variance=1.0,
        norm_bound=environment.norm(1), delta=0.1, horizon=horizon, sub_gaussian=1.0,
    )  # fmt: skip
    f, rng = environment.mean_rewards(1), streams.generator(*names, "policy", name)
    noise = streams.generator(*names, "noise").uniform(-1.0, 1.0, horizon)
    gain, largest, cells = (np.full(len(steps), np.nan) for _ in range(3))
    most = 0.0
    for t in range(1, horizon + 1):
        arm = policy.choose(t, rng)
        policy.observe(t, arm, float(f[arm] + noise[t - 1]))
        if name == "pi_gp_ucb":
            most = max(most, policy.largest_gain())
        at = steps == t
        if at.any() and name == "pi_gp_ucb":
            largest[at], cells[at] = most, len(policy.cells)
        elif at.any():
            gain[at] = policy.information_gain()
    return gain, largest, cells
