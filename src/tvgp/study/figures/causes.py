"""What moves regret on real fields: the share of its variance that each cause explains, a bar per field."""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import causes

_COLOURS = {
    "mean": ("mean", Colour.NAVY),
    "covariance": ("covariance", Colour.BLUE),
    "time": ("time", Colour.SKY),
    "model": ("these three together", Colour.PALE_BLUE),
    "width": ("width", Colour.ORANGE),
    "policy": ("method", Colour.VERMILION),
    "number": ("number of queries", Colour.GREEN),
    "moment": ("before or after", Colour.PINK),
    "together": ("any others together", Colour.STEEL),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: models and methods on the left, models and queries on the right."""
    (data,) = collected
    names = [str(part) for part in data.part.values]
    title = "Model, method or queries: what moves regret"
    figure, ((left, *others),) = style.panels(1.2 + 0.27 * len(names), 1, 3, title=title, sharey=True)
    designs = {
        "policy_regret": "model, width and method",
        "asked_regret": "model, queries and their moment",
        "subset_regret": "SparQ's and W-SparQ's queries",
    }
    for axes, (regret, words) in zip((left, *others), designs.items(), strict=True):
        for row, name in enumerate(names):
            _bar(axes, row, causes.shares(causes.field(data, name)[regret]))
        axes.set_title(words, fontsize=7)
        axes.set(xlim=(0, 1), xlabel="share of variance")
    left.set_yticks(range(len(names)), [causes.title(name) for name in names])
    left.invert_yaxis()
    entries = [Patch(color=colour, label=words) for words, colour in _COLOURS.values()]
    style.legend(figure, entries, 4)
    return figure


def _bar(axes: Axes, row: int, shares: dict[str, float]) -> None:
    start = 0.0
    for cause, (_, colour) in _COLOURS.items():
        if share := shares.get(cause, 0.0):
            axes.barh(row, share, left=start, color=colour, height=0.7)
            start += share


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Share of the variance of average regret over all combinations that each cause explains by itself"
        " (first-order indices of the full factorial), and the rest, which only several causes together"
        f" explain. Left: {data.sizes['policy']} methods, SparQ's with queries of their own. Middle: the"
        " posterior of each model itself with a fixed number of queries a round,"
        f" {' or '.join(data.moment.values)} the choice. Right: SparQ and W-SparQ with"
        " several factors of their number of queries."
    )
