"""Mean precision of the answers against the counting bound, which is linear in N_T / T."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.study.figures.lower_bounds import COLOURS, MARKERS, WORDS

ACROSS = True


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: precision on the left, regret of the best decision on the right."""
    data = collected[0]
    figure = style.new_figure(3.3)
    left = style.axes_at(figure, 0.62, 0.85, 2.85, 2.0)
    right = style.axes_at(figure, 4.15, 0.85, 2.85, 2.0)
    for part in data.part.values:
        selected, colour = data.sel(part=part), COLOURS.get(str(part), style.INK)
        for index, alpha in enumerate(data.alpha.values):
            at = selected.sel(alpha=alpha)
            per_round = (at.queries.values / at.horizon.values[:, None]).ravel()
            point: dict[str, Any] = {
                "linestyle": "",
                "marker": MARKERS[index % len(MARKERS)],
                "markersize": 3.6,
                "color": colour,
                "markeredgewidth": 0,
                "alpha": 0.8,
            }
            left.plot(per_round, at.mean_precision.values.ravel(), **point)
            right.plot(per_round, at.adaptive_regret.mean(("seed", "time")).values.ravel(), **point)
            if str(part) == str(data.part.values[0]):
                order = np.argsort(per_round)
                left.plot(
                    per_round[order],
                    at.counting_bound.values.ravel()[order],
                    color=style.INK,
                    linewidth=0.8,
                    linestyle=("-", style.DASHED, style.DOTTED)[index % 3],
                )
    left.set_xscale("log")
    left.set_yscale("log")
    left.set_xlabel("$N_T / T$")
    left.set_title(r"mean precision  $T^{-1}\sum_\tau S_\tau$", fontsize=8)
    right.set_xscale("log")
    right.set_xlabel("$N_T / T$")
    right.set_title("regret a round, adaptive queries", fontsize=8)
    largest = float(np.nanmax(data.largest_regret))
    right.axhline(largest, color=style.SOFT_INK, linewidth=0.8, linestyle=style.DOTTED)
    right.set_ylim(-0.03, 1.1 * largest)
    entries = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            color=COLOURS.get(str(p), style.INK),
            label=WORDS.get(str(p), str(p)),
        )
        for p in data.part.values
    ]
    entries += [
        Line2D(
            [],
            [],
            marker=MARKERS[i % len(MARKERS)],
            color=style.SOFT_INK,
            markerfacecolor=style.SOFT_INK,
            linewidth=0.8,
            linestyle=("-", style.DASHED, style.DOTTED)[i % 3],
            label=f"α = {a:g}, bound" if i == 0 else f"α = {a:g}",
        )
        for i, a in enumerate(data.alpha.values)
    ]
    wide, high = figure.get_size_inches()
    figure.legend(
        handles=entries,
        loc="upper left",
        bbox_to_anchor=(0.62 / wide, 0.36 / high),
        ncols=6,
        borderaxespad=0,
        borderpad=0,
        columnspacing=1.2,
    )
    style.title_above(figure, "A sharper count: precision is bounded by queries a round", 0.62)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    return (
        "Left: mean over τ of the precision S_τ of all answers, and the bound C_α N_T / T with"
        " C_α = (1/2 + ζ(α)) / σ² (lines), which holds for every schedule when α > 1. By the"
        " argument of Theorem 5.3 regret is then linear whenever N_T = O(T), far more than its"
        " O(T^(α/(α+1))). Right: regret a round of the best decision, with queries that follow"
        " the largest upper bound; the dotted line is the largest possible regret. Means over"
        f" {collected[0].sizes['seed']} repetitions; no band."
    )
