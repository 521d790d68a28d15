"""Cost of readings on real fields against their price, a panel per field."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import grid, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look
from tvgp.study.results import causes
from tvgp.study.results.price_on_fields import FieldCosts

_NONE = ("no reading", Look(Colour.GREY, style.DOTTED, ""))
_FIXED = {
    "after": ("fixed number after the choice", Look(Colour.BLACK, style.DASHED, "o", filled=False)),
    "before": ("fixed number before the choice", Look(Colour.BLACK, "-", "o", width=1.6)),
}
_RULES = {
    "pandora": ("Pandora's index", Look(Colour.VERMILION, "-", "D")),
    "knowledge_gradient": ("knowledge gradient", Look(Colour.BLUE, "-", "s")),
    "pairs": ("gain of a reading or a pair", Look(Colour.PURPLE, "-", "v")),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    names = [str(part) for part in data.part.values]
    title = "Cost of readings against their price"
    labels = "price, in spreads", "cost per round, in spreads"
    figure, panels = grid.titled(list(map(causes.title, names)), 4, (1.0, 1.75), title, *labels)
    for axes, name in zip(panels, names, strict=True):
        _panel(axes, FieldCosts(data, name), data)
    looks = [_NONE, *_FIXED.values(), *(_RULES[rule] for rule in map(str, data.rule.values))]
    style.legend(figure, [look.handle(words) for words, look in looks], 2)
    return figure


def _panel(axes: Axes, costs: FieldCosts, data: xr.Dataset) -> None:
    shares = [float(share) for share in data.share.values]
    curves = {_NONE[1]: [costs.fixed(0, share) for share in shares]}
    for moment, (_, look) in _FIXED.items():
        curves[look] = [costs.fixed(costs.best(share, moment), share, moment) for share in shares]
    for rule in map(str, data.rule.values):
        curves[_RULES[rule][1]] = [costs.rule(rule, share) for share in shares]
    for look, values in curves.items():
        axes.plot(shares, np.mean(values, axis=1) / costs.spread, **look.marked())
    axes.set_xscale("log")
    style.x_ticks(axes, shares)
    axes.set_ylim(0, 1.08 * axes.dataLim.y1)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    return (
        "Regret plus price times readings, per round, on real fields, under the model chosen for each"
        " training part; the rules read before the choice. Costs and prices are in spreads between the"
        " sites: the standard deviation of a round's readings, averaged over the training part. Fixed numbers"
        " are those of least cost in the rounds that are played, which no rule knows."
    )
