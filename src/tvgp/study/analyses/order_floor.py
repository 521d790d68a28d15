"""Regret of who knows f_{t-1}, everywhere and exactly, where f moves by steps that nobody can foresee.

What is left to every method whose queries come after the choice, however many, on 201 arms on [-50, 50]:

    forgetting    f_{t+1} = sqrt(1 - eps) f_t + sqrt(eps) g   (TV-GP-UCB's model)
    wiener        f_{t+1} = f_t + sqrt(q) g                   (UI-TVBO's model)

with f_1 and every g from GP(0, k), simulated, and by the formulas of `tvgp.theory.query_order`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import kernels, streams
from tvgp.posterior import Prior
from tvgp.posterior.sampling import PriorDraws, prior_root
from tvgp.theory import query_order

MODELS = ("forgetting", "wiener")


def run(
    seeds: Sequence[int],
    model: str = "forgetting",
    rate: float = 0.03,
    horizon: int = 1000,
    n_arms: int = 201,
    length_scale: float = 3.0,
) -> xr.Dataset:
    """informed, random (seed): regret per round, from round 2 on, of the maximum of the last function and of
    a random arm; floor: the former by the formula.

    rate: eps or q. ValueError for an unknown model and a rate that it cannot have.
    """
    if model not in MODELS:
        raise ValueError(f"model is {model!r}, expected {', '.join(MODELS)}")
    if not 0 < rate < (1 if model == "forgetting" else math.inf):
        raise ValueError(f"rate is {rate:g}, expected a positive number, below 1 where f forgets")
    kernel = kernels.make("se", variance=0.5, length_scale=length_scale)
    prior = Prior.of(np.linspace(-50, 50, n_arms)[:, None], kernel)
    kept, step = (math.sqrt(1.0 - rate) if model == "forgetting" else 1.0), math.sqrt(rate)
    found = np.empty((2, len(seeds)))
    for i, seed in enumerate(seeds):
        rng = streams.generator("order_floor", model, str(rate), seed)
        draws = PriorDraws(prior_root(prior, noise_variance=math.inf))
        f, regret = draws.next(rng), np.empty((2, horizon - 1))
        for t in range(horizon - 1):
            last, f = f, kept * f + step * draws.next(rng)
            regret[:, t] = f.max() - f[last.argmax()], f.max() - f.mean()
        found[:, i] = regret.mean(axis=1)
    maximum = query_order.expected_maximum(prior, streams.generator("order_floor", "maximum"))
    floor = query_order.forgetting_floor(rate, maximum)
    if model == "wiener":
        floor = float(np.mean([query_order.wiener_floor(rate, t, maximum) for t in range(1, horizon)]))
    return xr.Dataset({"informed": ("seed", found[0]), "random": ("seed", found[1]), "floor": floor})
