"""Readings of a real field before the choice and after it: cost against price, the ratio of costs, and regret
against number.

The variants are those of `tvgp.study.results.readings`.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import asking, curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look
from tvgp.study.results import readings

PRICES = (0.1, 0.3, 1.0, 3.0)  # of the axis, in the units of the field

_POINTS = {
    "sparq_gp_ucb": ("SparQ as published", Look(Colour.GREEN, "", "^", filled=False)),
    "sparq_on_field_after": (
        "SparQ under the field's model, after",
        Look(Colour.GREEN, "", "v", filled=False),
    ),
    "sparq_on_field": ("the same before", Look(Colour.GREEN, "", "^")),
    "yesterdays_best": ("every site, after", Look(Colour.GREY, "", "s", filled=False)),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row per field."""
    rows = len(collected)
    title = "Readings before the choice and after it, on real fields"
    figure, panels = style.panels(0.9 + 2.1 * rows, rows, 3, title=title)
    for row, data in zip(panels, collected, strict=True):
        part = results.at_alpha(data)
        _cost(row[0], part)
        _ratio(row[1], part)
        _regret(row[2], part)
        row[0].set_title(results.title(part).partition(" (")[0], fontsize=7)
    panels[-1][2].set_xlabel(f"readings per {results.round_label(part)}")
    entries = [
        asking.BEFORE.handle("fixed number, before (left: the best in hindsight)"),
        asking.AFTER.handle("the same after the choice"),
        asking.PANDORA.handle("Pandora's index, before"),
    ]
    style.legend(figure, [*entries, *(look.handle(label) for label, look in _POINTS.values())], 2)
    return figure


def _cost(axes: Axes, part: xr.Dataset) -> None:
    prices = np.geomspace(PRICES[0], PRICES[-1], 60)
    for after, look in ((False, asking.BEFORE), (True, asking.AFTER)):
        costs = [regret + prices * number for number, regret in _fixed(part, after).items()]
        axes.plot(prices, np.min(costs, axis=0), **look.curve())
    asked = {p: name for name in results.variants(part) if (p := readings.price(name)) is not None}
    shown = sorted(asked)
    points = [_point(part, asked[p]) for p in shown]
    paid = [regret + p * number for p, (number, regret) in zip(shown, points, strict=True)]
    axes.plot(shown, paid, **asking.PANDORA.marked())
    axes.set_ylim(bottom=0)
    _over_prices(axes, part)
    axes.set_ylabel(curves.with_units(f"cost per {results.round_label(part)}", part))


def _ratio(axes: Axes, part: xr.Dataset) -> None:
    """Cost of the index over the least of a fixed number, before."""
    asked = {p: name for name in results.variants(part) if (p := readings.price(name)) is not None}
    for price, name in asked.items():
        ratio, _ = readings.cost_ratio(part, name, price)
        axes.plot([price, price], [ratio.low, ratio.high], **asking.PANDORA.curve())
        axes.plot(price, ratio.mean, **asking.PANDORA.point())
    axes.axhline(1.0, color=style.SOFT_INK, linewidth=0.8, zorder=1)
    _over_prices(axes, part)
    axes.set_ylabel("cost over best fixed number")


def _over_prices(axes: Axes, part: xr.Dataset) -> None:
    axes.set(xscale="log", xlim=(PRICES[0], PRICES[-1]))
    style.x_ticks(axes, PRICES)
    axes.set_xlabel(curves.with_units("price of a reading", part))


def _regret(axes: Axes, part: xr.Dataset) -> None:
    for after, look in ((False, asking.BEFORE), (True, asking.AFTER)):
        found = _fixed(part, after)
        axes.plot(list(found), list(found.values()), **look.marked())
    names = results.variants(part)
    asked = [name for name in names if readings.price(name) is not None]
    points = sorted(_point(part, name) for name in asked)
    axes.plot(*zip(*points, strict=True), **asking.PANDORA.marked())
    for name, (_, look) in _POINTS.items():
        if name in names:
            axes.plot(*_point(part, name), linestyle="", **look.point())
    axes.set(ylim=(0, None), ylabel=curves.with_units("average regret", part))


def _fixed(part: xr.Dataset, after: bool) -> dict[int, float]:
    """Average regret by number of readings per round."""
    found = readings.fixed(part, after)
    return {number: results.final_average(part, name).mean() for number, name in found.items()}


def _point(part: xr.Dataset, name: str) -> tuple[float, float]:
    """Readings per round and average regret of a variant."""
    return readings.per_round(part, name), results.final_average(part, name).mean()


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    parts = [results.at_alpha(data) for data in collected]
    words = "; ".join(f"{results.title(part)}, {results.data_words(part)}" for part in parts)
    return (
        f"{words}. Left: average regret plus price times readings. Middle: cost of the"
        f" index over that of the best fixed number before, with 95 % intervals over"
        f" {'; '.join(map(results.sample_words, parts))}, paired. Right: average regret against readings per"
        f" {results.round_label(parts[0])}. All but SparQ as published and the reading of every site, which"
        " needs no model, play under that of Field-GP-UCB, fitted to the training part; readings are taken"
        " at the largest upper confidence bounds."
    )
