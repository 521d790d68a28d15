"""Observations that W-SparQ-GP-UCB keeps, queries again and drops in a run (Mauduit25b, Fig. 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import policies
from tvgp.environments import rkhs_sine
from tvgp.simulate import Round
from tvgp.study.run.simulate_named import simulate_named

OWN, ASKED, DROPPED = 0, 1, 2
_ALPHA, _ALPHA_TILDE = 1.0, 0.25


def uses(**_) -> tuple[str, ...]:
    """The policy's module."""
    return ("tvgp.policies.w_sparq_gp_ucb",)


def run(seeds: Sequence[int], horizon: int = 120) -> xr.Dataset:
    """One run on the functions of Mauduit25b, Fig. 2.

    place (seed, round): input played; fate (seed, round): 0 an own observation of the current
    window, 1 an input queried at the start of the window, 2 dropped, all after the last round;
    starts (seed, round): whether a window starts there; alpha, alpha_tilde: of the policy.
    """
    rows = []
    for seed in seeds:
        environment = rkhs_sine.make()
        policy = policies.make(
            "w_sparq_gp_ucb",
            arms=environment.arms,
            kernel=environment.kernel,
            noise_variance=0.01,
            alpha=_ALPHA,
            alpha_tilde=_ALPHA_TILDE,
            query_scale=6.0,
        )
        ended: list[Round] = []
        run = simulate_named(policy, environment, horizon, ("window_partition", seed), on_round=ended.append)
        asked = {each.t: each.queries for each in ended if len(each.queries)}
        rounds = np.arange(1, horizon + 1)
        last = max(asked)
        fate = np.where(np.isin(run.arm, asked[last]), ASKED, DROPPED)
        fate[rounds > last] = OWN
        rows.append((environment.arms[run.arm, 0], fate, np.isin(rounds, list(asked))))
    place, fate, starts = (np.stack(column) for column in zip(*rows, strict=True))
    dims = ("seed", "round")
    return xr.Dataset(
        {
            "place": (dims, place),
            "fate": (dims, fate),
            "starts": (dims, starts.astype(int)),
            "alpha": _ALPHA,
            "alpha_tilde": _ALPHA_TILDE,
        },
        coords={"round": np.arange(1, horizon + 1)},
    )
