"""Cost of readings on real fields against their price, a panel per field."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import asking, fields, style
from tvgp.study.figures.base.style import Look
from tvgp.study.results.price_on_fields import FieldCosts


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    labels = "price, in spreads", "cost per round, in spreads"
    words = "fixed number, the best in hindsight, before", "the same after the choice"
    figure, entries = fields.drawn(data, "Cost of readings against their price", labels, _panel, words)
    ends = [asking.NONE.handle("no reading"), asking.EVERY.handle("every site, before")]
    style.legend(figure, [*ends, *entries], 2)
    return figure


def _panel(axes: Axes, costs: FieldCosts, data: xr.Dataset) -> None:
    shares = [float(share) for share in data.share.values]
    curves: list[tuple[Look, list[np.ndarray]]] = [(asking.NONE, [costs.fixed(0, share) for share in shares])]
    for moment, look in asking.FIXED.items():
        best = [costs.fixed(costs.best(share, moment), share, moment) for share in shares]
        curves.append((look, best))
    for rule, moment in asking.played(data):
        curves.append((asking.RULES[rule, moment][1], [costs.rule(rule, share, moment) for share in shares]))
    for look, values in curves:
        axes.plot(shares, np.mean(values, axis=1) / costs.spread, **look.marked())
    axes.set_ylim(0, 1.08 * axes.dataLim.y1)  # without the cost of every site, which leaves the panel
    every = [costs.every(share).mean() / costs.spread for share in shares]
    axes.plot(shares, every, **asking.EVERY.marked())
    axes.set_xscale("log")
    style.x_ticks(axes, shares)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    return (
        "Regret plus price times readings, per round, on real fields, under the model chosen for each"
        " training part. Costs and prices are in spreads between the sites: the standard deviation of a"
        " round's readings, averaged over the training part. Fixed numbers are those of least cost in the"
        " rounds that are played, which no rule knows; reading every site soon leaves the panel. After the"
        " choice, readings are of use from the next round on."
    )
