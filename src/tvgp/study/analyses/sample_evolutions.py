"""Sample evolutions of the Gauss-Markov model (Bogunovic16, Fig. 1): f_t on a square grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.environments import gp_markov


def run(
    seeds: list[int],
    kernel: str = "se",
    length_scale: float = 0.2,
    epsilon: float = 0.01,
    n_side: int = 50,
    horizon: int = 301,
    times: Sequence[int] = (1, 11, 51, 101, 201, 301),
) -> xr.Dataset:
    """One evolution per seed.

    value (seed, time, x, y): f_t at `times`; best (seed, round, axis): maximiser of f_t in every
    round. ValueError for a time beyond the horizon.
    """
    if max(times) > horizon or min(times) < 1:
        raise ValueError(f"sample_evolutions: times {list(times)} must lie in 1 to {horizon}")
    arms = gp_markov.grid(n_side)
    values, best = [], []
    for seed in seeds:
        environment = gp_markov.make(
            kernel,
            length_scale,
            epsilon=epsilon,
            n_side=n_side,
            horizon=horizon,
            rng=streams.generator("sample_evolutions", kernel, seed),
        )
        f = np.stack([environment.mean_rewards(t) for t in range(1, horizon + 1)])
        values.append(f[np.array(times) - 1].reshape(-1, n_side, n_side))
        best.append(arms[f.argmax(axis=1)])
    side = np.linspace(0.0, 1.0, n_side)
    return xr.Dataset(
        {
            "value": (("seed", "time", "x", "y"), np.stack(values)),
            "best": (("seed", "round", "axis"), np.stack(best)),
        },
        coords={"time": list(times), "round": np.arange(1, horizon + 1), "x": side, "y": side},
    )
