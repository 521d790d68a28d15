"""Which variant to use on a record: the rule that anyone has, unless another is clearly better.

The rule is `RULE`, the site of the best mean in training. `CANDIDATE`, whose model was chosen and fitted on
the training part alone, is compared with it once, at the level of any interval. Any other method must be
clearly better than the better of these two although it was chosen among k on the rounds it is judged by:
its interval has level 1 - 0.05/k (Bonferroni).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tvgp.study import results
from tvgp.study.results import readings
from tvgp.study.results.statistics import LEVEL, Estimate, mean_interval

if TYPE_CHECKING:  # slow to import, and the configuration reads names here
    import xarray as xr

RULE = "prior_order"
CANDIDATE = readings.NONE


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
    """The rule, the candidate or the method of least regret; the last one where the rule was not played, None
    without a method."""
    names = usable(part)
    if not names or RULE not in names:
        return names[0] if names else None
    chosen = RULE
    if CANDIDATE in names and difference(part, CANDIDATE, chosen).high < 0:
        chosen = CANDIDATE
    if difference(part, names[0], chosen, len(names)).high < 0:
        chosen = names[0]
    return chosen


def reader(part: xr.Dataset, chosen: str) -> str | None:
    """What to use where sites can be read before the choice: Pandora's index if its cost, regret and readings
    together, is clearly below the regret of what is recommended, `chosen`, and the number of readings chosen
    in training if it is clearly below either; None where neither pays, or none was played."""
    index, found = readings.index(part), None
    price = readings.asked_price(index)
    for name in (index, readings.TUNED["before"]):
        if name in part.policy.values and cost_difference(part, str(name), found or chosen, price).high < 0:
            found = str(name)
    return found


def reader_after(part: xr.Dataset, chosen: str) -> str | None:
    """What to use where sites can be read only after the choice: the number of readings chosen in training if
    its cost is clearly below the regret of what is recommended, `chosen`; else None."""
    name, price = readings.TUNED["after"], readings.asked_price(readings.index(part))
    played = name in part.policy.values
    return name if played and cost_difference(part, name, chosen, price).high < 0 else None


def cost_difference(part: xr.Dataset, name: str, other: str, price: float) -> Estimate:
    """Cost of a variant, regret plus price times readings, minus that of another, paired."""
    return mean_interval(readings.costs(part, name, price) - readings.costs(part, other, price))


def difference(part: xr.Dataset, name: str, other: str, among: int = 1) -> Estimate:
    """Average regret of a variant minus that of another, paired; among: methods that one was chosen from."""
    a, b = results.final_average(part, name), results.final_average(part, other)
    return mean_interval(a - b, 1 - (1 - LEVEL) / among)
