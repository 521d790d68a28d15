"""Every method of the league at every width of one grid, on one problem per part.

A method with a parameter of the drift (TV-GP-UCB's epsilon, W-SparQ's alpha, a window, a discount, ...) is
also played at five values of that, so that tuning is a choice among runs of other seeds
(`tvgp.study.results.tuning`). The grid has the method's own width and the default of its parameter, so that
no method is worse tuned than untuned on the runs that tune it. Queries come after the choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies
from tvgp.study.analyses.base import problems
from tvgp.study.run.player import WIDTHS

# Of each the first ones are spread, as fewer may be played.
_EXPONENTS = (0.5, 2.0, 0.25, 1.5, 3.0)
_ROUNDS = (25, 100, 10, 50, 200)
DEFAULT = "default"


@dataclass(frozen=True)
class Method:
    """drift: a parameter of the drift and its values beside the default, empty for a method without;
    factor: the parameter that is the width."""

    drift: str = ""
    values: Sequence[float] = ()
    factor: str = "width"


# By algorithm; the names are those of variants of the configuration, too.
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "gp_ucb": Method(),
        "r_gp_ucb": Method("block_length", _ROUNDS),
        "sw_gp_ucb": Method("window", _ROUNDS),
        "tv_gp_ucb": Method("epsilon", (0.1, 0.01, 0.3, 0.003, 0.6)),
        "w_gp_ucb": Method("gamma", (0.95, 0.9, 0.99, 0.8, 0.98)),
        "ui_gp_ucb": Method("alpha", _EXPONENTS),
        "st_gp_ucb": Method(),
        "ui_tvbo": Method("q", (0.01, 0.1, 0.003, 0.001, 0.3)),
        "et_gp_ucb": Method(),
        "glr_gp_ucb": Method(),
        "r_perp": Method("block_length", _ROUNDS, "confidence"),
        "bob_gp_ucb": Method(),
        "master_gp_ucb": Method(),
        "w_dbo": Method(),  # whose paper fits its length-scale in time
        "sparq_gp_ucb": Method(),
        "w_sparq_gp_ucb": Method("alpha", _EXPONENTS),
        "aw_sparq_gp_ucb": Method(),
    }
)


def uses(problem: str, **_: Any) -> tuple[str, ...]:
    """The modules of the problem and of the policies."""
    environment = problems.check(problem).environment
    return (f"tvgp.environments.{environment}", *(f"tvgp.policies.{name}" for name in METHODS))


def run(
    seeds: Sequence[int],
    problem: str,
    horizon: int = 200,
    methods: Sequence[str] = tuple(METHODS),
    widths: Sequence[str | float] = WIDTHS,
    values: int | None = None,
) -> xr.Dataset:
    """regret and queries per round (policy, value, width, seed), NaN beyond a method's own values of its
    drift, the first of which is the default; drift (policy): the name of that parameter; setting (policy,
    value): its values in words; ours (policy): whether the method's own width is this project's choice. Also
    random (seed), the regret of uniformly random play.

    values: how many of each method's are played beside the default, None for all. ValueError for an unknown
    problem or method.
    """
    if unknown := [name for name in methods if name not in METHODS]:
        raise ValueError(f"methods has {unknown[0]!r}, expected {', '.join(METHODS)}")
    chosen = {name: METHODS[name] for name in methods}
    settings = {name: _settings(method, values) for name, method in chosen.items()}
    most = max(map(len, settings.values()))
    found = np.full((2, len(chosen), most, len(widths), len(seeds)), np.nan)
    words = np.full((len(chosen), most), "", dtype=object)
    random = np.empty(len(seeds))
    for s, seed in enumerate(seeds):
        play, table = problems.open_problem("equal_tuning", problem, horizon, seed)
        random[s] = problems.random_regret(table)
        for m, (name, method) in enumerate(chosen.items()):
            for v, (word, own) in enumerate(settings[name].items()):
                words[m, v] = word
                own_values: dict[str, Any] = {**own, "horizon": horizon}
                found[:, m, v, :, s] = play.at_widths(widths, name, factor=method.factor, **own_values)
    dims = ("policy", "value", "width", "seed")
    return xr.Dataset(
        {
            "regret": (dims, found[0]),
            "queries": (dims, found[1]),
            "drift": ("policy", [method.drift for method in chosen.values()]),
            "setting": (dims[:2], words.astype(str)),
            "ours": ("policy", [method.factor in policies.ours(name) for name, method in chosen.items()]),
            "random": ("seed", random),
        },
        coords={"policy": list(chosen), "width": [str(width) for width in widths]},
    )


def _settings(method: Method, number: int | None) -> dict[str, dict[str, float]]:
    """Parameters by word: the default and the values of the drift."""
    return {DEFAULT: {}} | {f"{value:g}": {method.drift: value} for value in method.values[:number]}
