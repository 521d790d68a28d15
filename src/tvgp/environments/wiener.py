"""A Gaussian process that performs a Wiener process in time: draws of the model of UI-TVBO.

    f_1 = g_1,  f_{t+1} = f_t + sqrt(q) g_{t+1},  g_t i.i.d. GP(0, k)

(Brunzema, von Rohr & Trimpe 2022), on equispaced arms of a line.
"""

from __future__ import annotations

import numpy as np

from tvgp import kernels
from tvgp.contracts import require_horizon
from tvgp.environments.base.drawn import LARGEST_TABLE, Drawn, line, prior_draws


def make(
    q: float = 0.03,
    n_arms: int = 201,
    kernel: str = "se",
    variance: float = 0.5,
    length_scale: float = 3.0,
    horizon: int = 300,
    noise_std: float = 0.1,
    rng: np.random.Generator | None = None,
) -> Drawn:
    """n_arms equispaced points of [-50, 50]; q: variance added per round, relative to the first.

    ValueError for a negative q, for draws of more than 2 GiB, and without a stream.
    """
    require_horizon("wiener", horizon, LARGEST_TABLE // n_arms)
    if not q >= 0.0:
        raise ValueError(f"wiener: q is {q}, must be 0 or more")
    if rng is None:
        raise ValueError("wiener: needs a random stream for its draws")
    arms = line(n_arms)
    prior = kernels.make(kernel, variance=variance, length_scale=length_scale)
    steps = prior_draws(prior, arms, horizon, rng)
    steps[1:] *= np.sqrt(q)
    return Drawn(arms, np.cumsum(steps, axis=0), noise_std)
