"""Which variant to use on a record: what had the least regret over all of it, of a few named in advance.

These are `REPLAYED`: the rule that anyone has, `RULE`, which plays the site of the best mean in training, and
methods under the model chosen in training, `CANDIDATE` among them. Of each, the evidence is its regret in
replays of the training part (`tvgp.study.fit.replays`) and in the rest, each round counted once. A method
that is clearly worse than the rule in the rest is not chosen. Any other method must be clearly better than
what is chosen although it was found among k on the rounds it is judged by: its interval has level 1 - 0.05/k
(Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tvgp.study import results
from tvgp.study.results import blocks, readings
from tvgp.study.results.statistics import LEVEL, Estimate, mean_interval

if TYPE_CHECKING:  # slow to import, and the configuration reads names here
    import xarray as xr

RULE = "prior_order"
HOUR = "best_of_hour"  # of a rule that was not played: the site that was best in training at that hour
CANDIDATE = readings.NONE
ON_FIELD_WIDTH = 1.0  # of the papers' methods under the chosen model
# Variants by name: algorithm and parameters.
REPLAYED: Mapping[str, tuple[str, Mapping[str, Any]]] = MappingProxyType(
    {RULE: ("prior_order", {}), CANDIDATE: ("field_gp_ucb", {})}
    | {
        f"{algorithm}{readings.ON_FIELD}": (algorithm, {"width": ON_FIELD_WIDTH})
        for algorithm in ("gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb")
    }
)


def usable(part: xr.Dataset) -> list[str]:
    """Methods that know nothing of the future, read one site per round and ask about no other, least mean
    regret first. Controls of the study's own questions do not count."""
    names = [
        name
        for name, group in zip(results.variants(part), map(str, part.group.values), strict=True)
        if (group != "control" or name in (RULE, CANDIDATE) or name.endswith(readings.ON_FIELD))
        and not results.is_hindsight(part, name)
        and not results.total_queries(part, name).any()
    ]
    return sorted(names, key=lambda name: results.final_average(part, name).mean())


def recommended(part: xr.Dataset) -> str | None:
    """The variant to use; the one of least regret where the rule was not played, None without a method."""
    names = usable(part)
    if not names or RULE not in names:
        return names[0] if names else None
    found = {name: regret for name, regret in evidence(part).items() if name in names}
    chosen = min(found, key=found.__getitem__, default=RULE)
    if found.get(RULE, math.inf) <= found.get(chosen, math.inf) * (
        1.0 + 1e-9
    ):  # the same plays, but for rounding
        chosen = RULE
    if difference(part, chosen, RULE).low > 0:
        chosen = RULE
    ahead = names[: names.index(RULE)]
    return next((n for n in ahead if difference(part, n, chosen, len(names)).high < 0), chosen)


def evidence(part: xr.Dataset) -> dict[str, float]:
    """Regret per round over replays and rest of the variants of `REPLAYED` that were played; none where none
    was replayed."""
    chosen, rounds = results.fit(part).get("chosen", {}), part.sizes["round"]
    replayed = chosen.get("replayed_rounds", 0)
    return {
        name: (replayed * regret + rounds * float(results.final_average(part, name).mean()))
        / (replayed + rounds)
        for name, regret in chosen.get("replays", {}).items()
        if name in part.policy.values
    }


def among(part: xr.Dataset, chosen: str) -> int:
    """Methods that a variant was chosen from by rounds of the rest: 1 for the rule; those with evidence where
    that chose it, and all where it is clearly better or the rule was not played."""
    found = evidence(part) if RULE in part.policy.values else {}
    least = min(found, key=found.__getitem__, default=None)
    return 1 if chosen == RULE else len(found) if chosen == least else len(usable(part))


def of_hour(part: xr.Dataset) -> np.ndarray | None:
    """Regret by sample of reading the site that was best in training at the hour of the round, the next best
    where it is missing; None where the fit does not tell."""
    orders = results.fit(part).get("chosen", {}).get("hour_orders")
    if orders is None or "block" not in part.attrs:
        return None
    reading = part.reading.transpose("round", "arm").values
    ranked = np.take_along_axis(reading, np.array(orders)[blocks.hours_of_day(part.time.values)], axis=1)
    played = ranked[np.arange(len(ranked)), np.isfinite(ranked).argmax(axis=1)]
    return blocks.block_means(np.nanmax(reading, axis=1) - played, part.attrs["block"])


def nothing_read(part: xr.Dataset, chosen: str) -> tuple[str, np.ndarray]:
    """What reads nothing beside its choice, and its regret by sample: what is recommended, `chosen`, or the
    best site of the hour where that has clearly less."""
    own, hour = results.final_average(part, chosen), of_hour(part)
    if hour is not None and mean_interval(results.joined(part, hour - own)).high < 0:
        return HOUR, hour
    return chosen, own


def reader(part: xr.Dataset, chosen: str) -> str | None:
    """What to use where sites can be read before the choice: Pandora's index if its cost, regret and readings
    together, is clearly below the regret of reading nothing (`nothing_read`), and the number of readings
    chosen in training if it is clearly below either; None where neither pays, or none was played."""
    index, found = readings.index(part), None
    price, least = readings.asked_price(index), nothing_read(part, chosen)[1]
    for name in (index, readings.TUNED["before"]):
        if name in part.policy.values and excess(part, str(name), least, price).high < 0:
            found, least = str(name), results.costs(part, str(name), price)
    return found


def reader_after(part: xr.Dataset, chosen: str) -> str | None:
    """What to use where sites can be read only after the choice: the number of readings chosen in training if
    its cost is clearly below the regret of reading nothing (`nothing_read`); else None."""
    name, price = readings.TUNED["after"], readings.asked_price(readings.index(part))
    played = name in part.policy.values
    return name if played and excess(part, name, nothing_read(part, chosen)[1], price).high < 0 else None


def excess(part: xr.Dataset, name: str, other: np.ndarray, price: float) -> Estimate:
    """Cost of a variant, regret plus price times readings, minus another by sample, paired."""
    return mean_interval(results.joined(part, results.costs(part, name, price) - other))


def difference(part: xr.Dataset, name: str, other: str, among: int = 1) -> Estimate:
    """Average regret of a variant minus that of another, paired; among: methods that one was chosen from."""
    return mean_interval(results.differences(part, name, other), 1 - (1 - LEVEL) / among)
