"""The league: what each method costs in each environment, at printed settings and at tuned ones.

A cost is R_T / T over that of uniform play, plus a price per expert query: at price p a query per round costs
p times the regret of uniform play. "printed" has the published variants (and those named beside them) at the
widths of their papers, or at ours where a paper has none. "untuned" and "tuned" are of the problems of the
analysis `equal_tuning`: methods at these widths, and all tuned alike. "asks first" is a league of its own, of
variants that ask about f_t before they choose, and so may use more than the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from tvgp.study import results
from tvgp.study.results import equal_tuning, presentation

ASKS_FIRST = "asks first"
SETTINGS = ("printed", ASKS_FIRST)  # of experiments
LEVEL = 0.05


@dataclass(frozen=True)
class Entrants:
    """Parameters of figures and tables of the league. also: variants that take part although they are not
    published."""

    also: Sequence[str] = ()


@dataclass(frozen=True)
class Standings:
    """methods (k,): variants; labels (k,); ours (k,): whether a width from no paper is in use; environments
    (n,): names; kinds and families (n,): how they change, as `kind` and `family` say; regret (k, n): over
    that of uniform play; queries (k, n): per round; both NaN where not played."""

    methods: list[str]
    labels: list[str]
    ours: list[bool]
    environments: list[str]
    kinds: list[str]
    families: list[str]
    regret: np.ndarray
    queries: np.ndarray

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
    methods: dict[str, tuple[str, bool]] = {}
    for part in parts:
        for name in results.variants(part):
            group = str(part.group.sel(policy=name).item())
            first = results.asks_first(part, name)
            named = group == "published" or name in also
            if named and first == (setting == ASKS_FIRST) and not results.is_hindsight(part, name):
                methods.setdefault(name, (results.label(part, name), results.width_is_ours(part, name)))
    shape = len(methods), len(parts)
    regret, queries = np.full(shape, np.nan), np.full(shape, np.nan)
    for j, part in enumerate(parts):
        scale = uniform_regret(part)
        for i, name in enumerate(methods):
            if name in part.policy.values:
                regret[i, j] = results.final_average(part, name).mean() / scale
                queries[i, j] = results.total_queries(part, name).mean() / part.sizes["round"]
    names, kinds = [str(part.attrs["experiment"]) for part in parts], [kind(part) for part in parts]
    labels, ours = [label for label, _ in methods.values()], [own for _, own in methods.values()]
    return Standings(list(methods), labels, ours, names, kinds, list(map(family, parts)), regret, queries)


def of_problems(data: xr.Dataset) -> Iterator[tuple[str, Standings]]:
    """Those of the analysis `equal_tuning`, untuned and tuned."""
    methods, problems = [str(name) for name in data.policy.values], [str(name) for name in data.part.values]
    labels = [presentation.label(name) for name in methods]
    ours, none = data.ours.isel(part=0).values.tolist(), [False] * len(methods)
    for setting, runs, own in (
        ("untuned", equal_tuning.untuned(data), ours),
        ("tuned", equal_tuning.tuned(data), none),
    ):
        found = (each.mean("seed").transpose("policy", "part").values for each in (runs.regret, runs.queries))
        unknown = [""] * len(problems)
        yield setting, Standings(methods, labels, own, problems, unknown, unknown, *found)


def blocks(collected: Sequence[xr.Dataset], also: Sequence[str] = ()) -> dict[str, Standings]:
    """The standings of each setting in which there are methods to compare, or one if no setting has more;
    collected: of experiments, and of the analysis `equal_tuning`, if of any."""
    played = results.experiments(collected)
    found = {setting: standings(played, setting, also) for setting in SETTINGS}
    for data in filter(results.is_analysis, collected):
        found |= of_problems(data)
    most = max(len(each.methods) for each in found.values())
    return {setting: each for setting, each in found.items() if len(each.methods) >= min(2, most) > 0}


def uniform_regret(part: xr.Dataset) -> float:
    """Average regret of uniform play, from the experiment's card."""
    return float(results.card(part)["uniform_regret"])


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
    """One of SETTINGS, "tuned", or "control" for a variant that takes no part; also: as of `standings`."""
    group = str(part.group.sel(policy=variant).item())
    if results.is_hindsight(part, variant) or (group == "control" and variant not in also):
        return "control"
    if results.asks_first(part, variant):
        return ASKS_FIRST
    return "tuned" if group == "tuned" else "printed"
