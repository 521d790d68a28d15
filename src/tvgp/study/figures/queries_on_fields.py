"""Regret against queries a round on real fields: SparQ, W-SparQ and the field's own posterior, one model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import grid, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look
from tvgp.study.results import causes

_MODEL = {"covariance": "empirical", "time": "two"}
_LOOKS = {
    "asked": ("largest upper bounds, one by one", Look(Colour.BLACK, "-", "o", width=1.6)),
    "sparq_gp_ucb": ("SparQ's subsets", Look(Colour.VERMILION, "-", "P")),
    "w_sparq_gp_ucb": ("W-SparQ's subsets", Look(Colour.BLUE, "-", "X")),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a panel per field."""
    (data,) = collected
    names = [str(part) for part in data.part.values]
    title = f"Regret against queries under one model of the field, width {_width(data):g}"
    labels = "queries per round", "regret, share of random"
    figure, panels = grid.titled(list(map(causes.title, names)), 4, (1.0, 1.75), title, *labels)
    for axes, name in zip(panels, names, strict=True):
        _panel(axes, causes.field(data, name).sel(asked_width=_width(data)))
    entries = [look.handle(words) for words, look in _LOOKS.values()]
    style.legend(figure, [*entries, _look("asked", "before").handle("open: asked before the choice")], 2)
    return figure


def _width(data: xr.Dataset) -> float:
    return float(data.replayed.values.flat[0])


def _look(name: str, moment: str) -> Look:
    """Filled after the choice, dashed and open before it."""
    look = _LOOKS[name][1]
    return replace(look, line=style.DASHED, filled=False) if moment == "before" else look


def _panel(axes: Axes, own: xr.Dataset) -> None:
    """Means of the curves under both means of the model, in units of the regret of random play."""
    scale = float(own.uniform.mean())
    for moment in own.moment.values:
        asked = own.asked_regret.sel(_MODEL | {"moment": moment}).mean(("mean", "seed", "round")) / scale
        look = _look("asked", moment)
        axes.plot(own.number, asked, **look.marked())
        for asker in own.asker.values:
            each, look = own.sel(_MODEL | {"moment": moment, "asker": asker}), _look(str(asker), moment)
            queries = each.subset_queries.mean(("mean", "seed")).values
            regret = each.subset_regret.mean(("mean", "seed", "round")).values / scale
            order = np.argsort(queries)
            axes.plot(queries[order], regret[order], **look.marked())
    axes.set_xscale("symlog", linthresh=1)
    style.x_ticks(axes, (0, 1, 3, 10, 30))
    axes.set_ylim(0, 1.08 * axes.dataLim.y1)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Average regret over that of random play against queries a round, on real fields: filled, asked after"
        " the choice, as in the papers; open, before it. All methods have one model of the field, an"
        f" empirical covariance and two time scales, and the width {_width(data):g}; means over one mean and"
        " one per site. Of SparQ and W-SparQ the number of queries is varied by its factor."
    )
