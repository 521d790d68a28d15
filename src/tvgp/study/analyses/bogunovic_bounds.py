"""The general regret bounds of Bogunovic16, (17), (20) and (21), for the experiments of Fig. 2.

Information gains are greedy, at least 1 - 1/e of the maximum, so that the bounds are at most a factor
1.26 too small. The constants of assumptions (9) and (10) follow from the mean of sup |f| and
sup |df/dx_j| over draws, by the Borell-TIS inequality.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import kernels, posterior, streams
from tvgp.environments import gp_markov
from tvgp.posterior import Prior
from tvgp.theory import bounds, schedules

_DRAWS, _COARSE = 50, 25  # draws for the suprema, and points per side of their grid


def run(
    seeds: list[int],
    kernel: str = "se",
    length_scale: float = 0.2,
    horizon: int = 200,
    epsilons: Sequence[float] = (0.001, 0.01, 0.03),
    noise_variance: float = 0.01,
    n_side: int = 50,
) -> xr.Dataset:
    """Over epsilon: gain, gamma~_T; tv, (20); tv_blocks, (21) at its best N, blocks; restarting, (17) with
    the recommended block length; all bounds on R_T. Independent of seeds."""
    k = kernels.make(kernel, variance=1.0, length_scale=length_scale)
    prior = Prior(gp_markov.grid(n_side), k)
    gains = schedules.information_gains(prior, noise_variance, np.arange(1, horizon + 1))
    draws = gp_markov.draw_grid(k, _COARSE, _DRAWS, streams.generator("bogunovic_bounds", kernel))
    fields = draws.reshape(_DRAWS, _COARSE, _COARSE)
    slopes = np.abs(np.diff(fields, axis=1)).max(axis=(1, 2)) * (_COARSE - 1)
    a1, b1 = bounds.tail_constants(slopes.mean(), np.diff(fields, axis=1).std() * (_COARSE - 1))
    a0, b0 = bounds.tail_constants(np.abs(draws).max(axis=1).mean(), 1.0)
    beta_tv, beta_r = (bounds.beta_bogunovic(horizon, restarting, a1, b1) for restarting in (False, True))
    rows = []
    for epsilon in epsilons:
        gain = _varying_gain(prior, noise_variance, horizon, epsilon)
        blocks, best = bounds.regret_bound_tv_blocks(horizon, beta_tv, gains, noise_variance, epsilon)
        n = schedules.bogunovic_block_length(epsilon, horizon, k.smoothness)
        restarting = bounds.regret_bound_r(
            horizon, beta_r, float(gains[n - 1]), noise_variance, epsilon, n, a0, b0
        )
        tv = bounds.regret_bound_tv(horizon, beta_tv, gain, noise_variance)
        rows.append((gain, tv, blocks, best, restarting))
    names = ("gain", "tv", "tv_blocks", "blocks", "restarting")
    return xr.Dataset(
        {
            name: ("epsilon", list(values))
            for name, values in zip(names, zip(*rows, strict=True), strict=True)
        },
        coords={"epsilon": list(epsilons)},
    )


def _varying_gain(prior: Prior, noise_variance: float, horizon: int, epsilon: float) -> float:
    """gamma~_T of (15), greedily."""
    engine = posterior.make(prior, noise_variance, horizon=horizon, epsilon=epsilon)
    for _ in range(horizon):
        engine.observe(int(engine.variance.argmax()), 0.0)
        engine.advance()
    return 0.5 * engine.log_det
