"""Where the optimum is and what each method plays, round by round, in one run (one-dimensional
experiments)."""

from __future__ import annotations

import textwrap

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import curves, style

COLUMNS = 4
LAST = 120  # rounds shown, up to the end of the run


def applies(collected: xr.Dataset) -> bool:
    """Needs arms on a line and the oracle's choices, which are the optima."""
    return collected.sizes.get("dimension") == 1 and "oracle" in collected.policy.values


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure."""
    part, shown = _selected(collected)
    names = results.variants(shown)
    where = part["arms"].transpose("arm", "dimension").values[:, 0]
    horizon = part.sizes["round"]
    rounds = np.arange(max(1, horizon - LAST + 1), horizon + 1)
    plays = shown["arm"].transpose("policy", "seed", "round").values[:, 0]
    oracle = results.select(part, "oracle")["arm"].transpose("policy", "seed", "round")
    optimum = where[oracle.values[0, 0]][rounds - 1]
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    wide, tall, gap = (style.WIDTH - 0.62 - 0.1 - 0.14 * (columns - 1)) / columns, 1.15, 0.4
    height = 0.5 + rows * tall + (rows - 1) * gap + 0.8
    figure = style.new_figure(height)
    margin = 0.03 * np.ptp(where)
    for position, name in enumerate(names):
        row, column = divmod(position, columns)
        axes = style.axes_at(
            figure,
            0.62 + column * (wide + 0.14),
            0.5 + (rows - 1 - row) * (tall + gap),
            wide,
            tall,
        )
        look = style.look(name)
        axes.plot(
            rounds,
            optimum,
            linestyle="",
            marker="s",
            markersize=3.2,
            color="#c2c2c2",
            markeredgewidth=0,
            zorder=2,
        )
        axes.plot(
            rounds,
            where[plays[position]][rounds - 1],
            linestyle="",
            marker=look.marker,
            markersize=2.4,
            markerfacecolor=look.colour,
            markeredgecolor=look.colour,
            markeredgewidth=0.4,
            zorder=3,
        )
        axes.set_xlim(rounds[0] - 1, rounds[-1] + 1)
        axes.set_ylim(where.min() - margin, where.max() + margin)
        axes.tick_params(labelleft=column == 0, labelbottom=position + columns >= len(names))
        axes.set_title(textwrap.fill(results.label(shown, name), 25), fontsize=7, pad=3)
        if column == 0:
            axes.set_ylabel("place x")
        if position + columns >= len(names):
            axes.set_xlabel("round t")
    style.title_above(figure, results.title(part), 0.62)
    figure.text(
        0.62 / style.WIDTH,
        1 - 0.36 / height,
        "grey squares: where the optimum is; coloured markers: what the method plays",
        fontsize=7,
        color=style.SOFT_INK,
        va="center",
    )
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    part, _ = _selected(collected)
    shown = min(LAST, part.sizes["round"])
    return (
        f"{results.title(part)}, {results.data_words(part)}: the place of the optimum (grey) and"
        f" the places played, in the last {shown} rounds of the run with seed"
        f" {int(part.seed.values[0])}. A single run: there is no band."
    )


def _selected(collected: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset]:
    if not applies(collected):
        experiment = collected.attrs["experiment"]
        raise ValueError(f"{experiment}: needs arms on a line and the oracle for figure optimum")
    part = results.at_alpha(collected)
    added = [name for name in results.variants(part) if name not in style.LOOKS]
    return part, curves.chosen(part, [*curves.PUBLISHED, *added, "fresh_sample_ucb_sparq"])
