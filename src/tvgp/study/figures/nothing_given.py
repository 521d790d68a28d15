"""Regret with nothing given against regret with the model given, a panel per method."""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import grid, style
from tvgp.study.results import nothing_given, presentation

COLUMNS = 3
LOW, HIGH = 0.04, 1.3
TICKS = (0.05, 0.1, 0.2, 0.5, 1.0)
WORDS = {"printed": "own width"}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a point per problem and width, above the diagonal where learning costs regret."""
    (data,) = collected
    methods = list(map(str, data.policy.values))
    title = "What it costs to know neither kernel nor noise nor drift"
    labels = "model given", "nothing given"
    names = list(map(presentation.label, methods))
    figure, panels = grid.titled(names, COLUMNS, (0.8, 2.0), title, *labels, sharex=True, sharey=True)
    means = nothing_given.share(data).mean("seed")
    for axes, method in zip(panels, methods, strict=True):
        _panel(axes, method, means.sel(policy=method))
    widths = [str(width) for width in data.width.values]
    looks = (style.Look(style.INK, "", "o", filled=n == 0) for n in range(len(widths)))
    entries = [
        look.handle(WORDS.get(width, f"width {width}")) for look, width in zip(looks, widths, strict=True)
    ]
    style.legend(figure, entries, len(entries))
    return figure


def _panel(axes: Axes, method: str, means: xr.DataArray) -> None:
    """means (part, setting, width)."""
    colour = style.look(method).colour
    axes.plot([LOW, HIGH], [LOW, HIGH], color=style.SOFT_INK, linewidth=0.7)
    for n, width in enumerate(map(str, means.width.values)):
        at, look = means.sel(width=width), style.Look(colour, "", "o", filled=n == 0)
        given, learnt = at.sel(setting=nothing_given.GIVEN), at.sel(setting=nothing_given.LEARNT)
        axes.plot(given, learnt, markersize=4, **look.marked())
    axes.set(xscale="log", yscale="log", xlim=(LOW, HIGH), ylim=(LOW, HIGH))
    style.x_ticks(axes, TICKS)
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Average regret over that of random play, on logarithmic axes, a point per problem"
        f" ({data.sizes['part']}) and width: with kernel, noise variance, prior mean and a default drift"
        " given, and with all of them learnt while playing. Above the diagonal learning costs regret, below"
        " it pays, as the given drift is a default and not that of the problem. Means of"
        f" {data.sizes['seed']} runs of each problem."
    )
