"""Optimum and arm played, round by round, in one run (one-dimensional experiments)."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.study import results
from tvgp.study.figures.base import curves, grid, style
from tvgp.study.figures.base.palette import Colour

COLUMNS = 4
OPTIMUM = style.Look(Colour.GREY_C2, "", "s")
PLAY: dict[str, Any] = {"linestyle": "", "markersize": 2.4, "markeredgewidth": 0.4}
LAST = 120  # rounds shown, up to the end of the run


def draw(collected: xr.Dataset) -> Figure:
    """The figure."""
    part, shown = _selected(collected)
    names = results.variants(shown)
    points = part["arms"].transpose("arm", "dimension").values[:, 0]
    horizon = part.sizes["round"]
    rounds = np.arange(max(1, horizon - LAST + 1), horizon + 1)
    plays = shown["arm"].transpose("policy", "seed", "round").values[:, 0]
    oracle = results.select(part, "oracle")["arm"].transpose("policy", "seed", "round")
    optimum = points[oracle.values[0, 0]][rounds - 1]
    title = results.title(part)
    labels = "round $t$", "arm x"
    figure, panels = grid.panels(len(names), COLUMNS, (0.7, 1.5), title, *labels, sharex=True, sharey=True)
    for position, (axes, name) in enumerate(zip(panels, names, strict=True)):
        look = style.look(name)
        axes.plot(rounds, optimum, linestyle="", markersize=3.2, **OPTIMUM.point())
        played = points[plays[position]][rounds - 1]
        axes.plot(rounds, played, **replace(look, filled=True).point() | PLAY)
        axes.set_title(textwrap.fill(results.label(shown, name), 25), fontsize=7, pad=3)
    margin = 0.03 * np.ptp(points)
    panels[0].set(xlim=(rounds[0] - 1, rounds[-1] + 1), ylim=(points.min() - margin, points.max() + margin))
    played = Line2D([], [], marker="o", color=style.INK, label="arm played by the method", **PLAY)
    style.legend(figure, [OPTIMUM.handle("optimum"), played], 2)
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    part, _ = _selected(collected)
    shown = min(LAST, part.sizes["round"])
    return (
        f"{results.title(part)}, {results.data_words(part)}: the optimum (grey) and the arms"
        f" played, in the last {shown} rounds of the run with seed"
        f" {int(part.seed.values[0])}. A single run: there is no band."
    )


def _selected(collected: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset]:
    # the oracle's choices are the optima
    if collected.sizes.get("dimension") != 1 or "oracle" not in collected.policy.values:
        experiment = collected.attrs["experiment"]
        raise ValueError(f"{experiment}: needs arms on a line and the oracle for figure optimum")
    part = results.at_alpha(collected)
    return part, curves.chosen(part, [*curves.published(part), "sparq_domain_greedy"])
