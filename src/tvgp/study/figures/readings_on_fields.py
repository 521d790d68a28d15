"""Regret on real fields against readings a round, before the choice and after it, a panel per field."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import asking, grid, style
from tvgp.study.results import causes
from tvgp.study.results.price_on_fields import FieldCosts

_FIXED = {
    "before": ("fixed number, before", asking.BEFORE),
    "after": ("the same after the choice", asking.AFTER),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    names = [str(part) for part in data.part.values]
    title = "Regret against readings"
    labels = "readings per round", "regret per round, in spreads"
    figure, panels = grid.titled(list(map(causes.title, names)), 4, (1.2, 1.75), title, *labels)
    for axes, name in zip(panels, names, strict=True):
        _panel(axes, FieldCosts(data, name), data)
    looks = [*_FIXED.values(), *(asking.RULES[played] for played in asking.played(data))]
    informed = asking.EVERY.handle("plays the best site of the last round")
    style.legend(figure, [*(look.handle(words) for words, look in looks), informed], 2)
    return figure


def _panel(axes: Axes, costs: FieldCosts, data: xr.Dataset) -> None:
    for moment, (_, look) in _FIXED.items():
        regret = [costs.fixed(number, 0.0, moment).mean() / costs.spread for number in data.number.values]
        axes.plot(data.number.values, regret, **look.marked())
    for rule, moment in asking.played(data):
        means = [
            [costs.per_round(what, rule, share, moment) for share in data.share.values]
            for what in ("queries", "regret")
        ]
        axes.plot(means[0], np.array(means[1]) / costs.spread, **asking.RULES[rule, moment][1].marked())
    axes.axhline(costs.informed().mean() / costs.spread, **asking.EVERY.curve())
    axes.set_ylim(0, 1.08 * axes.dataLim.y1)
    axes.set_xscale("symlog", linthresh=3)
    style.x_ticks(axes, (0, 1, 2, 3, 5, 10, 20))


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    return (
        "Regret per round, without the price of readings, against their number, on real fields, under the"
        " model chosen for each training part; of the rules, at the prices of the analysis. In spreads"
        " between the sites: the standard deviation of a round's readings, averaged over the training part."
        " The line is the regret of who knows all values of the last round and plays its best site: no floor"
        " here, as a model that knows what is usual for a site can be below it after the choice too."
    )
