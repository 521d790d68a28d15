"""Variants that read sites before the choice of a round, or after it, under the model of Field-GP-UCB.

`field_gp_ucb` reads none, `field_reads_<n>` n before the choice, `field_reads_<n>_after` n after it;
`field_reads_tuned` and `field_reads_tuned_after` the number that cost least in a replay of the training part;
`pandora_at_<units>_<decimals>` reads while it pays at that price, `pandora_budget_<units>_<decimals>` so many
per round on average.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tvgp.study import results
from tvgp.study.results.statistics import Estimate

if TYPE_CHECKING:  # slow to import, and the configuration reads names here
    import xarray as xr

NONE = "field_gp_ucb"
TUNED = {"before": "field_reads_tuned", "after": "field_reads_tuned_after"}
ON_FIELD = "_on_field"  # ends the names of published methods under that model
_FIXED = re.compile(r"field_reads_(\d+)(_after)?")
_PRICE = re.compile(r"pandora_at_(\d+)_(\d+)")
_BUDGET = re.compile(r"pandora_budget_(\d+)_(\d+)")


def variant(kind: str, value: float) -> str:
    """The name of a variant of kind "at", a price, or "budget".

    >>> variant("at", 0.25)
    'pandora_at_0_25'
    """
    return f"pandora_{kind}_{np.format_float_positional(value, trim='0').replace('.', '_')}"


def price(variant: str) -> float | None:
    """The price in the name of a variant; None for another variant."""
    return _value(_PRICE, variant)


def asked_price(index: str | None) -> float:
    """What a reading of the index costs: nothing with a budget, or where none was played."""
    return (price(index) if index else None) or 0.0


def budget(variant: str) -> float | None:
    """The budget in the name of a variant; None for another variant."""
    return _value(_BUDGET, variant)


def number(variant: str) -> int | None:
    """The fixed number of readings in the name of a variant; None for another variant."""
    match = _FIXED.fullmatch(variant)
    return int(match[1]) if match else 0 if variant == NONE else None


def _value(pattern: re.Pattern, variant: str) -> float | None:
    match = pattern.fullmatch(variant)
    return float(f"{match[1]}.{match[2]}") if match else None


def fixed(part: xr.Dataset, after: bool) -> dict[int, str]:
    """The variants by number of readings per round, none included."""
    found = {0: NONE}
    for name in results.variants(part):
        match = _FIXED.fullmatch(name)
        if match and bool(match[2]) == after:
            found[int(match[1])] = name
    return dict(sorted(found.items()))


def index(part: xr.Dataset) -> str | None:
    """The first variant that reads while it pays; None where none was played."""
    names = results.variants(part)
    return next((name for name in names if price(name) or budget(name)), None)


def per_round(part: xr.Dataset, name: str) -> float:
    """Queries per round."""
    return float(results.total_queries(part, name).mean() / part.sizes["round"])


def cost_ratio(part: xr.Dataset, name: str, price: float) -> tuple[Estimate, int]:
    """Cost of a variant over that of the least costly fixed number of readings before the choice, and that
    number. Runs or blocks are paired; that the number is chosen in hindsight favours it."""
    found = {n: results.costs(part, each, price) for n, each in fixed(part, after=False).items()}
    least = min(found, key=lambda number: found[number].mean())
    return results.ratio(part, results.costs(part, name, price), found[least]), least


def knee(regret: dict[int, float]) -> int | None:
    """The number of readings beyond which further ones pay less: where the curve of regret by number lies
    farthest below the line between its ends (Satopaa et al. 2011); None where it does not fall.

    >>> knee({0: 6.0, 1: 4.0, 2: 3.0, 5: 2.6, 8: 2.5})
    2
    """
    numbers, values = np.array(list(regret), dtype=float), np.array(list(regret.values()))
    if len(numbers) < 3 or values[-1] >= values[0]:
        return None
    line = values[0] + (values[-1] - values[0]) * (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    below = line - values
    return int(numbers[below.argmax()]) if below.max() > 0 else None
