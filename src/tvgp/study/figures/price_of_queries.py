"""What queries are worth: regret against their number, and the price up to which they pay."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import asking, grid, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look
from tvgp.study.results import prices

COLUMNS = 4
_LOOKS = {
    "tv": Look(Colour.GREEN, "-", "D"),
    "st": Look(Colour.PURPLE, "-", "s"),
    "gp": Look(Colour.GREY, "-", "o"),
    "sparq_gp_ucb": Look(Colour.VERMILION, style.DASHED, "P"),
    "w_sparq_gp_ucb": Look(Colour.BLUE, style.DASHED, "X"),
    "aw_sparq_gp_ucb": Look(Colour.NAVY, style.DASHED, "*", filled=False),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a panel per problem, and the break-even prices of all."""
    (data,) = collected
    names = [str(part) for part in data.part.values]
    title = "What a query is worth, every method at its best width"
    titles = [*(asking.TITLES.get(name, name) for name in names), "Break-even price"]
    figure, (*panels, last) = grid.titled(
        titles, COLUMNS, (0.9, 1.75), title, ylabel="regret, share of random"
    )
    for axes, name in zip(panels, names, strict=True):
        _panel(axes, data.sel(part=name))
    _break_even(last, data)
    shown = [method for method in _LOOKS if method in data.asker.values]
    style.legend(figure, [_LOOKS[method].handle(prices.LABELS[method]) for method in shown], 3)
    return figure


def _panel(axes: Axes, part: xr.Dataset) -> None:
    regret, queries = (each.mean("seed") for each in prices.curves(part))
    for method in map(str, part.asker.values):
        y, x = regret.sel(asker=method).values, queries.sel(asker=method).values
        order = np.argsort(x)
        axes.plot(x[order], y[order], markersize=3, **_LOOKS[method].marked())
    axes.axhline(prices.without(part).mean(), color=style.SOFT_INK, linewidth=0.7, linestyle=":")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.1)
    style.x_ticks(axes, (0, 1, 3, 10, 30))
    axes.set(ylim=(0, None), xlabel="queries per round")


def _break_even(axes: Axes, data: xr.Dataset) -> None:
    """The break-even price of each problem, a row per method, and their mean."""
    methods = [method for method in _LOOKS if method in data.asker.values]
    for row, method in enumerate(methods):
        look = _LOOKS[method]
        found = [price.mean for price, _ in prices.break_evens(data, method).values()]
        axes.plot(found, np.full(len(found), row), "|", color=look.colour, markersize=5, markeredgewidth=0.7)
        axes.plot(np.mean(found), row, color=look.colour, **look.point())
        label = prices.LABELS[method].partition(",")[0]  # inside, as outside it would part the columns
        axes.text(0.98, row - 0.3, label, transform=axes.get_yaxis_transform(), fontsize=6, ha="right")
    axes.set_yticks([])
    axes.set_ylim(len(methods) - 0.5, -0.8)
    axes.axvline(0, color=style.SOFT_INK, linewidth=0.7)
    axes.set_xlabel("share of random regret")


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Average regret against queries per round, over the regret of random play. Methods without an expert"
        " of their own ask one by one at the largest upper bound; SparQ, W-SparQ and AW-SparQ about subsets"
        r" whose size $Q_t = ⌈c \log t⌉$ is varied. Every method has the constant width, TV-GP-UCB the $ε$"
        " and W-SparQ the $α$ that is best in the other runs. Dotted: the best method without queries. Last"
        " panel: the largest price of a query at which regret plus price is less than without queries, a"
        f" stroke per problem, a marker for their mean. {data.sizes['seed']} runs per problem."
    )
