"""Which method under which change: cost of every method in every environment, and mean ranks."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import league
from tvgp.study.results.league import Entrants as Parameters

# Of a query per round, in units of the regret of uniform play: a mean rank each; the cells have the first.
PRICES = (0.0, 0.01, 0.1)
SHADES = (Colour.VERMILION, Colour.ORANGE, Colour.SKY)
# Of the cells, by the logarithm of the cost: green below uniform play, white like it, vermilion above.
COLOURS = LinearSegmentedColormap.from_list("cost", [Colour.FOREST, "white", Colour.VERMILION]).with_extremes(
    bad=Colour.GREY_DE
)
TICKS = (0.03, 0.1, 0.3, 1.0, 3.0)
NORM = TwoSlopeNorm(0.0, math.log(TICKS[0]), math.log(TICKS[-1]))
TOP = -1.2  # room above the first row for the critical difference
TITLES = {
    "printed": "Widths as printed, or ours where no paper has one",
    "untuned": "Own widths, on the problems of equal tuning",
    "tuned": "All tuned alike, on other runs",
    league.ASKS_FIRST: "Asks before it chooses",
}
LEGIBLE = 10  # environments whose numbers fit into their cells
LINE = 70  # letters that fit below these


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a block per setting, cells on the left and mean ranks on the right."""
    blocks = league.blocks(collected, parameters.also)
    heights = [_height(found) for found in blocks.values()]
    rankings = {
        setting: [league.ranked(found.costs(price)) for price in PRICES] for setting, found in blocks.items()
    }
    # no method may have been played everywhere
    with_ranks = any(np.isfinite(ranked[0].mean_rank).any() for ranked in rankings.values())
    figure, panels = style.panels(
        1.5 + sum(heights),
        len(blocks),
        1 + with_ranks,
        width_ratios=(3.2, 1)[: 1 + with_ranks],
        height_ratios=heights,
    )
    places: dict[str, int] = {}  # of the methods, from the first block in which they are
    for (setting, found), (cells, *ranks) in zip(blocks.items(), panels, strict=True):
        costs = found.costs(PRICES[0])
        for i in np.lexsort((np.nanmean(costs, axis=1), rankings[setting][0].mean_rank)):
            places.setdefault(found.methods[i], len(places))
        order = np.argsort([places[name] for name in found.methods])
        cells.set_title(TITLES[setting])
        _cells(cells, found, costs, order)
        for axes in ranks:
            _ranks(axes, rankings[setting], order)
    bar = figure.colorbar(
        ScalarMappable(NORM, COLOURS),
        ax=panels[:, 0],
        location="bottom",
        shrink=0.5,
        aspect=40,
        anchor=(0, 0),
    )
    bar.set_ticks(np.log(TICKS).tolist(), labels=[f"{tick:g}" for tick in TICKS])
    bar.set_label("regret over that of uniform play")
    if not with_ranks:
        return figure
    entries = [
        style.Look(shade, "", "o").handle(f"price of a query: {price:g}")
        for shade, price in zip(SHADES, PRICES, strict=True)
    ]
    entries.append(style.Look(style.INK, "-", "", width=2.0).handle("critical difference"))
    style.legend(figure, entries, 4)
    return figure


def _height(found: league.Standings) -> float:
    """Inches of a block: its rows, and the names of environments, upright where there are many."""
    return 0.175 * len(found.methods) + (0.85 if len(found.environments) <= LEGIBLE else 1.9)


def _cells(axes: Axes, found: league.Standings, costs: np.ndarray, order: np.ndarray) -> None:
    """Environments that change alike side by side; numbers where they fit, else a dot on the least."""
    columns = np.argsort(found.families, kind="stable")
    shown = costs[np.ix_(order, columns)]
    logs = np.log(np.maximum(shown, TICKS[0]))  # a method may have no regret
    painted = axes.imshow(logs, cmap=COLOURS, norm=NORM, aspect="auto", interpolation="nearest")
    least = np.fmin.reduce(shown, axis=0)  # NaN where no method of this block was played
    few = len(columns) <= LEGIBLE
    for (i, j), value in np.ndenumerate(shown):
        light = style.luminance(tuple(painted.to_rgba(logs[i, j]))) > 0.25
        ink = style.INK if light else "white"
        if few and np.isfinite(value):
            text = f"{value:.2f}".lstrip("0") if value < 0.995 else f"{value:.1f}"
            weight = "bold" if value == least[j] else "normal"
            axes.text(j, i, text, ha="center", va="center", fontsize=6.5, fontweight=weight, color=ink)
        elif value == least[j]:
            axes.plot(j, i, "o", color=ink, markersize=2.5)
    names = [found.environments[j].replace("_", "\n" if few else " ") for j in columns]
    kinds, joint = [found.kinds[j] for j in columns], "\n" if few else ": "
    if few:
        kinds = [textwrap.fill(kind, LINE // len(columns), break_long_words=False) for kind in kinds]
    words = [f"{name}{joint}{kind}" if kind else name for name, kind in zip(names, kinds, strict=True)]
    axes.set_xticks(range(len(words)), words, fontsize=6.0 if few else 5.5, rotation=0 if few else 90)
    axes.set_yticks(range(len(order)), [f"{found.labels[i]}{', width ours' * found.ours[i]}" for i in order])
    families = np.array(found.families)[columns]
    for family in dict.fromkeys(found.families):
        own = np.flatnonzero(families == family)
        axes.axvline(own[-1] + 0.5, color=style.INK, linewidth=0.7)
        if len(own) > 1 and not few:
            axes.text(own.mean(), -0.6, family, ha="center", va="bottom", fontsize=5.5)
    axes.set_ylim(len(order) - 0.5, TOP)
    axes.tick_params(length=0)
    axes.grid(False)


def _ranks(axes: Axes, rankings: Sequence[league.Ranking], order: np.ndarray) -> None:
    if not np.isfinite(rankings[0].mean_rank).any():  # no method of this block was played everywhere
        axes.set_axis_off()
        return
    places = np.arange(len(order))
    for shade, ranking in reversed(list(zip(SHADES, rankings, strict=True))):
        axes.plot(ranking.mean_rank[order], places, "o", color=shade, markersize=4.5)
    first = rankings[0]
    if np.isfinite(first.critical_difference):
        best = np.nanmin(first.mean_rank)
        axes.plot([best, best + first.critical_difference], [-0.8, -0.8], color=style.INK, linewidth=2.0)
    axes.set_ylim(len(order) - 0.5, TOP)
    axes.set_yticks(places, [""] * len(places))
    axes.set_xlabel("mean rank")


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    blocks = league.blocks(collected, parameters.also)
    found = next(iter(blocks.values()))
    ranking = league.ranked(found.costs(PRICES[0]))
    text = (
        "Average regret of each method in each environment over that of uniform play (1: no better than"
        " chance; bold, or a dot: the least in its column; grey: not played), without a price for expert"
        f" queries, and mean ranks over the {len(found.environments)} environments where a query per round"
        " costs the given share of the regret of uniform play. Rows have the order of the first block. Black"
        " bar: mean ranks that differ by less than its length do not differ at level 5 % (Nemenyi's test over"
        " environments, not runs)."
    )
    if any(found.kinds):
        text += " With each name: how the environment changes, from its card."
    if np.isfinite(ranking.friedman):
        text += f" Friedman's test of equal methods, first block: $p = {ranking.friedman:.2g}$."
    missing = [found.labels[i] for i in np.flatnonzero(np.isnan(ranking.mean_rank))]
    if missing:
        text += f" Without a rank, as not played everywhere: {', '.join(missing)}."
    if "tuned" in blocks:
        text += (
            " Tuned: the width, and the parameter of the drift where a method has one, are those of one grid"
            " for all that have the least regret in the runs of other seeds."
        )
    if league.ASKS_FIRST in blocks:
        text += " Variants that ask about $f_t$ before they choose have ranks of their own."
    if any(map(results.is_standin, collected)):
        text += " Some environments are stand-in data."
    return text
