"""Runs of one method over seeds and drift exponents, in the test beds' file format."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from tvgp.simulate import Run
from tvgp.study.results import growth


def of_runs(
    play: Callable[[int, float], tuple[Run, float]],
    seeds: Sequence[int],
    alphas: Sequence[float],
    horizon: int,
) -> xr.Dataset:
    """cumulative_regret, cumulative_queries (seed, alpha, round), at rounds evenly spaced in log t
    (`growth.saved_rounds`); late_regret (seed, alpha), per round of the last tenth; random_play
    (seed, alpha).

    play: (seed, alpha) -> the run, and the regret per round of uniformly random arms.
    ValueError for fewer than 100 rounds.
    """
    rounds = growth.saved_rounds(horizon)
    regret = np.empty((len(seeds), len(alphas), len(rounds)))
    queries = np.empty(regret.shape, dtype=np.int64)
    late, random_play = np.empty(regret.shape[:2]), np.empty(regret.shape[:2])
    for i, j in np.ndindex(late.shape):
        run, random_play[i, j] = play(seeds[i], alphas[j])
        regret[i, j] = np.cumsum(run.regret)[rounds - 1]
        queries[i, j] = np.cumsum(run.expert_queries, dtype=np.int64)[rounds - 1]
        late[i, j] = growth.late(run.regret)
    return xr.Dataset(
        {
            "cumulative_regret": (("seed", "alpha", "round"), regret),
            "cumulative_queries": (("seed", "alpha", "round"), queries),
            "late_regret": (("seed", "alpha"), late),
            "random_play": (("seed", "alpha"), random_play),
        },
        coords={"alpha": [float(a) for a in alphas], "round": rounds},
    )
