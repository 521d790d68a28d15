"""Growth of the information gain for each kernel: greedy, realised by GP-UCB, published order."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.study.results.statistics import half_width
from tvgp.theory import bounds

ACROSS = True

NAMES = {
    "se": "squared exponential",
    "matern12": "Matérn 1/2",
    "matern32": "Matérn 3/2",
    "matern52": "Matérn 5/2",
}
GREEDY, REALISED = "#0072b2", "#d55e00"


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    (data,) = collected
    kernels = list(map(str, data.part.values))
    rows = -(-len(kernels) // 2)
    figure = style.new_figure(0.65 + 2.15 * rows)
    for index, kernel in enumerate(kernels):
        row, column = divmod(index, 2)
        axes = style.axes_at(figure, 0.6 + 3.45 * column, 0.78 + 2.15 * (rows - 1 - row), 3.0, 1.6)
        _panel(axes, data.sel(part=kernel), kernel)
        if row == rows - 1:
            axes.set_xlabel("rounds $T$")
        if column == 0:
            axes.set_ylabel(r"information gain $\gamma_T$ (nats)")
    handles, labels = axes.get_legend_handles_labels()
    width, height = figure.get_size_inches()
    figure.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0.6 / width, 0.28 / height),
        ncols=3,
        borderaxespad=0,
        borderpad=0,
    )
    return figure


def _panel(axes, part: xr.Dataset, kernel: str) -> None:
    rounds = part["round"].values
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.plot(rounds, part.greedy.values, color=GREEDY, label="greedy")
    realised = part.realised.transpose("seed", "round").values
    mean, half = realised.mean(axis=0), half_width(realised)
    if np.isfinite(half).all():
        low = np.maximum(mean - half, 1e-3)
        axes.fill_between(rounds, low, mean + half, color=REALISED, alpha=0.2, linewidth=0)
    axes.plot(rounds, mean, color=REALISED, linestyle=style.DASHED, label="realised by GP-UCB")
    later = rounds[rounds >= 10]
    order = bounds.information_gain_bound(later, kernel)
    axes.plot(
        later,
        order,
        color=style.INK,
        linestyle=style.DOTTED,
        linewidth=1.0,
        label="published order, constant 1",
    )
    axes.set_title(NAMES.get(kernel, kernel))
    axes.set_xlim(rounds[0], rounds[-1])
    axes.set_ylim(bottom=0.7 * part.greedy.values[0])


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Information gain 1/2 log det(I + K/sigma^2) against rounds, both axes logarithmic:"
        " the greedy maximum with replacement (within 1 - 1/e of the largest), and that of the arms"
        " GP-UCB plays on a function that does not change (dashed: mean over"
        f" {data.sizes['seed']} runs, band: 95 % confidence interval of the mean, Student t; cut"
        " at 0). Dotted:"
        " published orders with constant 1, log^2 T for the squared exponential and"
        " T^(1/(2 nu + 1)) log^(2 nu/(2 nu + 1)) T for Matérn kernels: orders only: their constants"
        " are not known, so that a curve above one contradicts nothing."
    )
