"""Regret against the width, a panel per method, all tuned alike."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.study.figures.base import grid, style
from tvgp.study.results import equal_tuning, presentation
from tvgp.study.results.tuning import PRINTED

COLUMNS = 5
TICKS = (0.25, 1, 4, 16)
TOP = 1.2  # random play has 1


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    methods = [str(name) for name in data.policy.values]
    curves, tuned = equal_tuning.at_widths(data).mean("seed"), equal_tuning.tuned(data).regret
    order = np.argsort(tuned.mean(("part", "seed")).values)
    title = "Regret against the width, the methods in the order of their tuned regret"
    labels = "width in std", "share of random"
    names = [presentation.label(methods[place]) for place in order]
    figure, panels = grid.titled(names, COLUMNS, (0.75, 1.45), title, *labels, sharex=True, sharey=True)
    for axes, place in zip(panels, order, strict=True):
        _panel(axes, curves.isel(policy=place), tuned.isel(policy=place))
        ours = bool(data.ours.isel(part=0, policy=place))
        origin = "own width: ours" if ours else "own width: printed"
        axes.text(0.97, 0.03, origin, transform=axes.transAxes, ha="right", va="bottom", fontsize=5.5)
    panels[0].set_ylim(0, TOP)
    style.legend(
        figure,
        [
            Line2D([], [], color=style.SOFT_INK, linewidth=0.5, label="a problem"),
            Line2D([], [], color=style.INK, linewidth=1.5, label="mean of the problems"),
            Line2D([], [], color=style.INK, marker="o", linestyle="", label="own width"),
            Line2D([], [], color=style.INK, linewidth=0.8, linestyle=":", label="tuned in each problem"),
        ],
        4,
    )
    return figure


def _panel(axes: Axes, curves: xr.DataArray, tuned: xr.DataArray) -> None:
    """curves (part, width), tuned (part, seed)."""
    widths = [str(width) for width in curves.width.values if width != PRINTED]
    x = np.array(widths, dtype=float)
    regret = curves.sel(width=widths)
    axes.plot(x, regret.transpose("width", "part").values, color=style.SOFT_INK, linewidth=0.5, alpha=0.6)
    look = style.look(str(curves.policy.item()))
    axes.plot(x, regret.mean("part"), color=look.colour, linewidth=1.5)
    own = curves.sel(width=PRINTED).mean("part").item()
    axes.plot(2.2 * x[-1], own, "o", color=look.colour, markersize=4)
    axes.axhline(tuned.mean().item(), color=style.INK, linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    ticks = [tick for tick in TICKS if x[0] <= tick < x[-1]]  # the last would touch "own"
    axes.set_xticks([*ticks, 2.2 * x[-1]], [*(f"{tick:g}" for tick in ticks), "own"])
    axes.minorticks_off()


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Average regret over that of random play against the constant width, each method with the value of"
        " its drift's parameter, where it has one, that is best at this width in the runs of other seeds: a"
        f" line per problem ({data.sizes['part']}), their mean, and at the right the method's own width,"
        " printed in a paper or ours. Dotted: width and value chosen for each problem in the other runs. One"
        f" grid of {data.sizes['width'] - 1} widths and the method's own, {data.sizes['seed']} runs of each"
        " problem. Curves that leave the panel at the top are worse than random play."
    )
