"""Regret on real fields against readings a round, before the choice and after it, a panel per field."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import asking, fields, style
from tvgp.study.results.price_on_fields import FieldCosts


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    labels = "readings per round", "regret per round, in spreads"
    words = "fixed number, before", "the same after the choice"
    figure, entries = fields.drawn(data, "Regret against readings", labels, _panel, words)
    informed = asking.EVERY.handle("plays the best site of the last round")
    style.legend(figure, [*entries, informed], 2)
    return figure


def _panel(axes: Axes, costs: FieldCosts, data: xr.Dataset) -> None:
    for moment, look in asking.FIXED.items():
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
