"""What queries are worth: regret against their number, of methods that ask one by one and of the papers'
subsets, all at their best constant width, on one problem per part.

Queries come after the choice, as in the papers. TV-, ST- and GP-UCB ask at the largest mu + 1.5 sigma, a
fixed number a round; SparQ and its relatives about Q_t = ceil(c log t) arms, at several scales c.
Every method is played at every width and, where it has a parameter of the drift (TV-GP-UCB's epsilon,
W-SparQ's alpha), at several values of that, so that tuning is a choice among runs of other seeds
(`tvgp.study.results.tuning`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr

from tvgp.study.analyses.base import problems

NUMBERS = (0, 1, 2, 3, 5, 10, 30)
SCALES = (0.3, 1.0, 2.0, 4.0, 6.0)
WIDTHS = (0.25, 0.5, 1, 2, 4)


@dataclass(frozen=True)
class Method:
    """An algorithm that asks: `amount` is the parameter that decides how often, `levels` its values, `drift`
    the values of one more parameter that is tuned."""

    algorithm: str
    amount: str
    levels: Sequence[float]
    values: Mapping[str, Any]
    drift: tuple[str, Sequence[float]] | None = None


def _one_by_one(
    model: str, levels: Sequence[float], drift: tuple[str, Sequence[float]] | None = None
) -> Method:
    return Method("pandora_gp_ucb", "number", levels, {"rule": "upper_bound", "model": model}, drift)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "tv": _one_by_one("tv", NUMBERS, ("epsilon", (0.01, 0.1, 0.3))),
        "gp": _one_by_one("gp", NUMBERS),
        "st": _one_by_one("st", (0, 1, 3)),  # 10 queries a round take minutes
        "sparq_gp_ucb": Method("sparq_gp_ucb", "query_scale", SCALES, {}),
        "w_sparq_gp_ucb": Method("w_sparq_gp_ucb", "query_scale", SCALES, {}, ("alpha", (0.5, 1.0, 2.0))),
        "aw_sparq_gp_ucb": Method("aw_sparq_gp_ucb", "query_scale", SCALES, {}),
    }
)


def uses(problem: str, **_: Any) -> tuple[str, ...]:
    """The modules of the problem and of the policies."""
    own = ("tv_gp_ucb", "st_gp_ucb", "gp_ucb", *(method.algorithm for method in METHODS.values()))
    environment = problems.check(problem).environment
    return (f"tvgp.environments.{environment}", *(f"tvgp.policies.{name}" for name in dict.fromkeys(own)))


def run(
    seeds: Sequence[int],
    problem: str,
    horizon: int = 300,
    methods: Sequence[str] = tuple(METHODS),
    widths: Sequence[float] = WIDTHS,
    levels: int | None = None,
) -> xr.Dataset:
    """regret and queries per round (asker, level, drift, width, seed), NaN beyond a method's own levels and
    values of its drift; amount (asker, level) and rate (asker, drift) are these. Also random (seed), the
    regret of uniformly random play.

    levels: how many of each method's are played, None for all. ValueError for an unknown problem or method.
    """
    if unknown := [name for name in methods if name not in METHODS]:
        raise ValueError(f"methods has {unknown[0]!r}, expected {', '.join(METHODS)}")
    chosen = [METHODS[name] for name in methods]
    most = max(len(method.levels[:levels]) for method in chosen)
    rates = max(len(_rates(method)) for method in chosen)
    amount, rate = np.full((len(chosen), most), np.nan), np.full((len(chosen), rates), np.nan)
    found = np.full((2, len(chosen), most, rates, len(widths), len(seeds)), np.nan)
    random = np.empty(len(seeds))
    for s, seed in enumerate(seeds):
        play, table = problems.open_problem("price_of_queries", problem, horizon, seed)
        random[s] = problems.random_regret(table)
        for m, method in enumerate(chosen):
            for (n, level), (r, value) in product(
                enumerate(method.levels[:levels]), enumerate(_rates(method))
            ):
                amount[m, n] = level
                values = {**method.values, "horizon": horizon, method.amount: level}
                if method.drift is not None:
                    rate[m, r] = values[method.drift[0]] = value
                found[:, m, n, r, :, s] = play.at_widths(widths, method.algorithm, **values)
    dims = ("asker", "level", "drift", "width", "seed")
    return xr.Dataset(
        {
            "regret": (dims, found[0]),
            "queries": (dims, found[1]),
            "amount": (dims[:2], amount),
            "rate": (("asker", "drift"), rate),
            "random": ("seed", random),
        },
        coords={"asker": list(methods), "width": [str(width) for width in widths]},
    )


def _rates(method: Method) -> Sequence[float]:
    """Values of the tuned drift, one (which stands for none) for a method without."""
    return (np.nan,) if method.drift is None else method.drift[1]
