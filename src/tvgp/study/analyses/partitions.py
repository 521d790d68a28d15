"""Regret, cells and their information gain in runs of pi-GP-UCB (Janz20, Theorem 3, Lemmas 1, 2, 6).

Separate runs of several T rounds, because the first partition, and so every cell, depends on T.
Parameters are those of the paper's experiments (lambda = 1, the theory's is 1 + 2/T).
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.environments import matern_rkhs
from tvgp.environments.matern_rkhs import MaternRKHS
from tvgp.policies.pi_gp_ucb import PiGPUCB
from tvgp.study.analyses.base.matern import played
from tvgp.theory.partitions import cell_limit

# Horizons T, as shares of the longest.
_SHARES = (0.03, 0.1, 0.3, 1.0)


def uses(**parameters: Any) -> tuple[str, ...]:
    """The policy's module."""
    return ("tvgp.policies.pi_gp_ucb",)


def run(
    seeds: list[int],
    d: int = 2,
    kernel: str = "matern32",
    n_side: int = 30,
    cells_per_side: int | None = None,
    horizon: int = 10000,
) -> xr.Dataset:
    """regret, largest_cell, made (seed, rounds): R_T, the largest gain of any cell and the number of
    all cells that ever existed, of runs of T = rounds; present (seed, step): number of cells after
    `step` rounds of the longest run; limit (step): N_t of Lemma 6; excess, above (seed): the largest
    ratio of the former to the latter over all rounds of that run, and the last t at which it exceeds
    1, 0 if none; uniform_regret (seed): expected regret per round of random play.

    kernel: of the functions and of the policy, nu above 1; n_side: of the grid; cells_per_side: of the
    first partition, None for ceil(T^(q/d)). Functions of different kernels have the same centres
    and coefficients.
    """
    steps = np.unique(np.geomspace(1, horizon, 33).round().astype(int))
    rounds = np.unique([max(round(share * horizon), 1) for share in _SHARES])
    whole: dict[str, list] = {"regret": [], "largest_cell": [], "made": []}
    longest: dict[str, list] = {"present": [], "excess": [], "above": []}
    uniform = []
    for seed in seeds:
        names = ("cell_gain", d, seed)  # streams keep their first name
        rng = streams.generator(*names, "environment")
        environment = matern_rkhs.make(d, n_side=n_side, kernel=kernel, rng=rng)
        f = environment.mean_rewards(1)
        runs = [_run(environment, names, T, cells_per_side) for T in rounds]
        for name, values in whole.items():
            values.append([quantities[name] for quantities, _ in runs])
        present = runs[-1][1]
        limit = cell_limit(np.arange(1, horizon + 1), d, environment.kernel.smoothness)
        longest["present"].append(present[steps - 1])
        longest["excess"].append((present / limit).max())
        longest["above"].append(np.flatnonzero(present > limit).max(initial=-1) + 1)
        uniform.append(f.max() - f.mean())
    axes = {"present": ("seed", "step")}
    return xr.Dataset(
        {name: (("seed", "rounds"), np.array(rows)) for name, rows in whole.items()}
        | {name: (axes.get(name, ("seed",)), np.array(rows)) for name, rows in longest.items()}
        | {"uniform_regret": ("seed", np.array(uniform)), "limit": ("step", limit[steps - 1])},
        coords={"step": steps, "rounds": rounds},
    )


def _run(
    environment: MaternRKHS, names: tuple[str | int, ...], horizon: int, cells_per_side: int | None
) -> tuple[dict[str, float], np.ndarray]:
    """Quantities of a run, and the number of cells after each round."""
    f, regret, present = environment.mean_rewards(1), 0.0, np.empty(horizon)
    for t, arm, policy in played(environment, "pi_gp_ucb", names, horizon, cells_per_side):
        regret += f.max() - f[arm]
        present[t - 1] = cast(PiGPUCB, policy).n_cells
    last = cast(PiGPUCB, policy)
    return {"regret": regret, "largest_cell": last.largest_gain(), "made": last.n_made}, present
