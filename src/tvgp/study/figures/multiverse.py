"""Specification curve of Mauduit25b's Fig. 2: the claim in every cell, and what its verdict depends on."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import multiverse, variance

BOUND = 5.0  # of the paper on the norm
_COLOURS = {
    multiverse.CONFIRMED: Colour.BLUE,
    multiverse.INCONCLUSIVE: Colour.GREY_B0,
    multiverse.CONTRADICTED: Colour.VERMILION,
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: cells in the order of their differences, their levels below, shares of variance beside."""
    (data,) = collected
    found = sorted(multiverse.cells(data), key=lambda cell: cell[1].mean)
    title = "Is the regret of SparQ and W-SparQ the least? Every setting that Fig. 2 leaves open"
    figure, ((curve, corner), (matrix, bars)) = style.panels(
        6.1, 2, 2, title=title, width_ratios=(4.2, 1), height_ratios=(1, 1.75)
    )
    corner.set_axis_off()
    ranks = np.arange(len(found))
    means, low, high = np.array([(each.mean, each.low, each.high) for _, each in found]).T
    verdicts = np.array([multiverse.verdict(each) for _, each in found])
    colours = np.array([_COLOURS[each] for each in verdicts])
    curve.vlines(ranks, low, high, colors=colours, linewidth=0.6, alpha=0.5)
    curve.scatter(ranks, means, s=2.5, c=colours, linewidths=0, zorder=3)
    curve.axhline(0, color=style.INK, linewidth=0.7)
    curve.set(ylabel="largest difference,\nshare of random regret", xlim=(-2, len(found) + 1))
    margin = 0.2 * float(np.ptp(means))  # intervals of few runs would hide the differences
    curve.set_ylim(means.min() - margin, means.max() + margin)
    curve.set_xticks([])
    _matrix(matrix, multiverse.levels(data), [at for at, _ in found], colours)
    _bars(bars, matrix, data)
    shares = {name: f"{name}, {np.mean(verdicts == name):.0%}" for name in _COLOURS}
    entries = [
        *(Line2D([], [], color=_COLOURS[name], marker="o", label=label) for name, label in shares.items()),
        Patch(color=Colour.NAVY, label="by itself"),
        Patch(color=Colour.PALE_BLUE, label="with others"),
    ]
    style.legend(figure, entries, 5)
    return figure


def _matrix(
    axes: Axes, levels: dict[str, list[str]], cells: list[dict[str, str]], colours: np.ndarray
) -> None:
    """A row of ticks per level: the cells that have it."""
    row, labels, places = 0.0, [], []
    for factor, names in levels.items():
        axes.text(
            -0.01,
            row - 0.75,
            multiverse.word(factor),
            transform=axes.get_yaxis_transform(),
            fontsize=6.5,
            fontweight="bold",
            ha="right",
            va="center",
        )
        for name in names:
            ranks = [rank for rank, at in enumerate(cells) if at[factor] == name]
            axes.vlines(ranks, row - 0.4, row + 0.4, colors=list(colours[ranks]), linewidth=0.55)
            places.append(row)
            labels.append(multiverse.word(name))
            row += 1.0
        row += 1.1
    axes.set_yticks(places, labels, fontsize=6.5)
    axes.set(ylim=(row - 1.4, -1.3), xlim=(-2, len(cells) + 1))
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_xlabel(f"{len(cells)} cells in the order of the difference")
    for side in axes.spines.values():
        side.set_visible(False)


def _bars(axes: Axes, matrix: Axes, data: xr.Dataset) -> None:
    """First-order and total shares of the variance, a bar per factor beside its levels."""
    means, _ = multiverse.table(data)
    alone, with_others = variance.first_order(means), variance.total(means)
    start = 0.0
    for factor, names in multiverse.levels(data).items():
        middle = start + (len(names) - 1) / 2
        axes.barh(middle, with_others[factor], color=Colour.PALE_BLUE, height=1.0)
        axes.barh(middle, alone[factor], color=Colour.NAVY, height=1.0)
        axes.text(with_others[factor] + 0.02, middle, f"{with_others[factor]:.0%}", fontsize=6.5, va="center")
        start += len(names) + 1.1
    axes.set_ylim(matrix.get_ylim())
    axes.set_yticks([])
    axes.set(xlim=(0, max(1.0, 1.2 * max(with_others.values()))), xlabel="share of variance")


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    means, _ = multiverse.table(data)
    norms = {multiverse.centres(data, part): data.norm.sel(part=part) for part in data.part.values}
    beyond = [
        f"{name} ({float(norm.max()):.2f})" for name, norm in norms.items() if float(norm.max()) > BOUND
    ]
    runs = data.sizes["seed"]
    text = (
        "Mauduit25b, Fig. 2: the largest of the ten differences of average regret between SparQ or W-SparQ"
        " and one of the other five methods, over the regret of random play; the claim is that it is below 0."
        f" Above: each of {means.size} cells with the interval of that maximum, cut at the frame; below: the"
        " levels of each cell; right: shares of the variance of the difference over all cells that a factor"
        " explains by itself and together with others (first-order and total Sobol' indices). Tuned: best in"
        f" the {runs - 1} other runs, among the printed width and constants. {runs} runs per cell."
    )
    if beyond:
        text += f" The norm exceeds the paper's bound of 5 with these centres: {', '.join(beyond)}."
    return text
