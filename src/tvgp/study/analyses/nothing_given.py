"""What knowing the kernel, the noise and the drift is worth, on one problem per part.

given: the kernel and the noise variance of the problem, the mean of f_1 as prior mean, and the default of the
drift's parameter. learnt: none of these; kernel, noise variance, mean and drift are fitted while playing
(`parameters="learn"` of `tvgp.policies.make`; W-DBO fits as its authors do). A policy that learns needs
values for its first rounds: a squared exponential of variance 1 whose length-scale is the learner's prior
median, a noise variance of 0.02 and a mean of 0, whatever the problem. B, delta and the horizon are given in
both.

The policies are those of the league that can learn. The others cannot: their windows and blocks are no
parameter of a likelihood, or they ask an expert.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp import kernels
from tvgp.study.analyses.base import problems
from tvgp.study.results.nothing_given import GIVEN, LEARNT
from tvgp.study.results.tuning import PRINTED

_LEARN: Mapping[str, str] = MappingProxyType({"parameters": "learn"})
# What makes a policy learn.
METHODS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "gp_ucb": _LEARN,
        "tv_gp_ucb": _LEARN,
        "st_gp_ucb": _LEARN,
        "w_gp_ucb": _LEARN,
        "ui_gp_ucb": _LEARN,
        "w_dbo": MappingProxyType({"hyperparameters": "fitted"}),
    }
)
WIDTHS = (PRINTED, 2)


def uses(problem: str, **_: Any) -> tuple[str, ...]:
    """The modules of the problem, of the policies and of their learning."""
    environment = problems.check(problem).environment
    own = (f"tvgp.policies.{name}" for name in ("base.learning", *METHODS))
    return (f"tvgp.environments.{environment}", *own)


def run(
    seeds: Sequence[int],
    problem: str,
    horizon: int = 150,
    methods: Sequence[str] = tuple(METHODS),
    widths: Sequence[str | float] = WIDTHS,
) -> xr.Dataset:
    """regret per round (policy, setting, width, seed), setting given or learnt, and random (seed), that of
    uniformly random play. ValueError for an unknown problem or method."""
    if unknown := [name for name in methods if name not in METHODS]:
        raise ValueError(f"methods has {unknown[0]!r}, expected {', '.join(METHODS)}")
    found, random = np.empty((len(methods), 2, len(widths), len(seeds))), np.empty(len(seeds))
    for s, seed in enumerate(seeds):
        play, table = problems.open_problem("nothing_given", problem, horizon, seed)
        random[s] = problems.random_regret(table)
        nothing = _nothing(play.arms)
        for m, name in enumerate(methods):
            for k, values in enumerate(({}, {**nothing, **METHODS[name]})):
                found[m, k, :, s] = play.at_widths(widths, name, horizon=horizon, **values)[0]
    return xr.Dataset(
        {"regret": (("policy", "setting", "width", "seed"), found), "random": ("seed", random)},
        coords={
            "policy": list(methods),
            "setting": [GIVEN, LEARNT],
            "width": [str(width) for width in widths],
        },
    )


def _nothing(arms: np.ndarray) -> dict[str, Any]:
    """Values for the first rounds of a policy that learns."""
    lengths = 0.4 * math.sqrt(arms.shape[1]) * np.ptp(arms, axis=0)
    kernel = kernels.make("se", variance=1.0, length_scale=tuple(lengths.tolist()))
    return {"kernel": kernel, "noise_variance": 0.02, "prior_mean": 0.0}
