"""Cumulative regret R_t over rounds on logarithmic axes, where growth like t^p is a line of
slope p: slope 1 is linear regret."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.average_regret import Parameters
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure."""
    part = curves.chosen(results.at_alpha(collected), parameters.variants)
    values = results.cumulative_regret(part)
    # A regret of 0 (the oracle's) has no logarithm.
    positive = np.flatnonzero(values.mean(axis=1)[:, -1] > 0)
    part, values = part.isel(policy=positive), values[positive]
    rounds = np.arange(1, part.sizes["round"] + 1)
    figure = style.new_figure(3.85)
    axes = style.axes_at(figure, 0.62, 0.48, 4.45, 2.95)
    axes.set(xscale="log", yscale="log")
    ends = []
    for index, name in enumerate(results.variants(part)):
        count = part.sizes["policy"]
        last = curves.plot_band(axes, rounds, values[index], name, index, count)
        ends.append((last, results.label(part, name), style.look(name)))
    axes.set_xlim(1, len(rounds))
    if ends:
        means = values.mean(axis=1)
        high = 1.6 * means[:, -1].max()
        low = max(0.7 * means[means > 0].min(), 1e-4 * high)
        axes.set_ylim(low, high)
        _draw_slopes(axes, len(rounds), low)
    axes.set_xlabel(f"{results.round_label(part)} $t$")
    axes.set_ylabel(curves.with_units("cumulative regret  $R_t$", part))
    axes.set_title(results.title(part))
    style.label_ends(axes, ends)
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    part = curves.chosen(results.at_alpha(collected), parameters.variants)
    return (
        f"{results.title(part)}: cumulative regret $R_t$ on logarithmic axes, on"
        f" {results.data_words(part)}. {curves.band_text(part)} The grey key at the lower"
        " right has slopes 1 (linear regret) and 1/2 (growth like the square root of $t$); a method follows"
        " the optimum only where its curve is flatter than slope 1. The oracle's regret is 0 and not"
        " shown."
    )


def _draw_slopes(axes: Axes, horizon: int, low: float) -> None:
    """A key of slopes 1 and 1/2 in the lower right corner, below the curves."""
    t = np.array([horizon**0.75, horizon**0.95])
    for slope, text in ((1.0, "slope 1"), (0.5, "1/2")):
        line = 1.3 * low * (t / t[0]) ** slope
        axes.plot(t, line, color=Colour.GREY_9A, linewidth=0.7, linestyle="-", zorder=1)
        axes.text(1.04 * t[1], line[1], text, va="center", fontsize=6.5, color=style.SOFT_INK)
