"""The league: what each method costs in each environment, at printed settings and at tuned ones.

A cost is R_T / T over that of uniform play, plus a price per expert query: at price p a query per round costs
p times the regret of uniform play. "printed" has the published variants (and those named beside them);
"tuned" has, for each of their algorithms and in each environment, the tuned variant with the least regret on
training seeds, or the printed one where none was tuned. "asks first" is a league of its own, of variants that
ask about f_t before they choose, and so may use more than the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from tvgp.study import results

ASKS_FIRST = "asks first"
SETTINGS = ("printed", "tuned", ASKS_FIRST)
LEVEL = 0.05


@dataclass(frozen=True)
class Standings:
    """methods (k,): variants; labels (k,); environments (n,): names; regret (k, n): over that of uniform
    play; queries (k, n): per round; both NaN where not played; tuned (k, n): whether by a tuned variant."""

    methods: list[str]
    labels: list[str]
    environments: list[str]
    regret: np.ndarray
    queries: np.ndarray
    tuned: np.ndarray

    def costs(self, price: float) -> np.ndarray:
        """(k, n)."""
        return self.regret + price * self.queries


@dataclass(frozen=True)
class Ranking:
    """mean_rank (k,): NaN for methods that miss an environment; critical_difference: of two mean ranks at
    level 5 % (Nemenyi), and friedman: p-value of equal methods; NaN with fewer than three methods or two
    environments."""

    mean_rank: np.ndarray
    critical_difference: float
    friedman: float


def standings(collected: Sequence[xr.Dataset], setting: str, also: Sequence[str] = ()) -> Standings:
    """What each method reaches in each environment, at the experiments' main alpha.

    also: variants that take part although they are not published; who knows the future never does, and who
    asks before it chooses does in the setting ASKS_FIRST alone.
    """
    parts = [results.at_alpha(data) for data in collected]
    methods: dict[str, str] = {}
    for part in parts:
        for name in results.variants(part):
            group = str(part.group.sel(policy=name).item())
            first = results.asks_first(part, name)
            named = group == "published" or name in also
            if named and first == (setting == ASKS_FIRST) and not results.is_hindsight(part, name):
                methods.setdefault(name, results.label(part, name))
    shape = len(methods), len(parts)
    regret, queries = np.full(shape, np.nan), np.full(shape, np.nan)
    tuned = np.zeros(shape, dtype=bool)
    for j, part in enumerate(parts):
        scale = uniform_regret(part)
        for i, name in enumerate(methods):
            played = name
            if setting == "tuned" and (best := _best_tuned(part, name)):
                played, tuned[i, j] = best, True
            if played in part.policy.values:
                regret[i, j] = results.final_average(part, played).mean() / scale
                queries[i, j] = results.total_queries(part, played).mean() / part.sizes["round"]
    names = [str(part.attrs["experiment"]) for part in parts]
    return Standings(list(methods), list(methods.values()), names, regret, queries, tuned)


def blocks(collected: Sequence[xr.Dataset], also: Sequence[str] = ()) -> dict[str, Standings]:
    """The standings of each setting in which there is a method, and for "tuned" a tuned variant."""
    found = {setting: standings(collected, setting, also) for setting in SETTINGS}
    return {s: each for s, each in found.items() if each.tuned.any() or (each.methods and s != "tuned")}


def uniform_regret(part: xr.Dataset) -> float:
    """Average regret of uniform play, from the experiment's card. ValueError without one."""
    card = results.card(part)
    if not card:
        raise ValueError(f"{results.name(part)}: the results have no card; collect them again")
    return float(card["uniform_regret"])


def ranked(costs: np.ndarray) -> Ranking:
    """Ranks over environments, costs (k, n), among the methods that were played in all of them.

    Equal methods: Friedman's test; the critical difference of Nemenyi's test (Demsar 2006, section 3.2.2),
    q_{k} sqrt(k (k + 1) / (6 n)), q the studentised range over sqrt 2.
    """
    from scipy import stats  # slow to import, and few figures need it

    complete = np.isfinite(costs).all(axis=1)
    mean_rank = np.full(len(costs), np.nan)
    k, n = int(complete.sum()), costs.shape[1]
    if k and n:
        mean_rank[complete] = stats.rankdata(costs[complete], axis=0).mean(axis=1)
    if k < 3 or n < 2:
        return Ranking(mean_rank, math.nan, math.nan)
    q = stats.studentized_range.ppf(1.0 - LEVEL, k, math.inf) / math.sqrt(2.0)
    difference = float(q * math.sqrt(k * (k + 1) / (6.0 * n)))
    return Ranking(mean_rank, difference, float(stats.friedmanchisquare(*costs[complete]).pvalue))


def kind(part: xr.Dataset) -> str:
    """How an environment changes, in words, from its card."""
    card = results.card(part)
    changes, moves = len(card["change_points"]), card["optimum_moves"]
    if card["sup_variation"] == 0:
        return "static"
    if moves == 0:
        return "optimum stays"
    jumps = f"{changes} jump{'s' if changes > 1 else ''}"
    if changes >= moves:
        return jumps
    if card["period"] is not None:
        return f"period {card['period']:.3g}"
    return f"drift, {jumps}" if 0 < changes <= 5 else "drift"


def family(part: xr.Dataset) -> str:
    """Environments that resemble each other: records, lifted test functions, or those that change alike."""
    if part.attrs["data"] != "synthetic":
        return "records"
    if results.name(part).startswith("lifted"):
        return "lifted functions"
    change = kind(part).partition(",")[0]
    return "jumps" if "jump" in change else change.split()[0]


def setting_of(part: xr.Dataset, variant: str, also: Sequence[str] = ()) -> str:
    """One of SETTINGS, or "control" for a variant that takes no part; also: as of `standings`."""
    group = str(part.group.sel(policy=variant).item())
    if results.is_hindsight(part, variant) or (group == "control" and variant not in also):
        return "control"
    if results.asks_first(part, variant):
        return ASKS_FIRST
    return "tuned" if group == "tuned" else "printed"


def _best_tuned(part: xr.Dataset, method: str) -> str | None:
    """The tuned variant of a method's algorithm with the least regret on training seeds."""
    records = results.tuned(part)
    own = str(part.algorithm.sel(policy=method).item()) if method in part.policy.values else None
    found = {
        name: min(records[name]["average_regret"])
        for name in results.variants(part, "tuned")
        if name in records and str(part.algorithm.sel(policy=name).item()) == own
    }
    return min(found, key=lambda name: found[name], default=None)
