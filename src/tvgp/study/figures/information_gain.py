"""Growth of the information gain for each kernel: greedy, realised by GP-UCB, published order."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp import kernels
from tvgp.study.figures.base import curves, grid, style
from tvgp.study.figures.base.palette import Colour
from tvgp.theory import bounds

CURVES = {
    "greedy": style.Look(Colour.BLUE, "-", ""),
    "realised by GP-UCB": style.Look(Colour.VERMILION, style.DASHED, ""),
    "published order, constant 1": style.Look(style.INK, style.DOTTED, "", width=1.0),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per kernel."""
    (data,) = collected
    title = "Growth of the information gain on the test bed"
    labels = "rounds $T$", "information gain $γ_T$ (nats)"
    figure, panels = grid.panels(data.sizes["part"], 2, (0.8, 2.1), title, *labels, sharex=True, sharey=True)
    rounds = data["round"].values
    later = rounds[rounds >= 10]
    for axes, name in zip(panels, map(str, data.part.values), strict=True):
        part, kernel = data.sel(part=name), kernels.make(name)
        realised = part.realised.transpose("seed", "round").values
        order = bounds.information_gain_bound(later, kernel.smoothness)
        axes.plot(rounds, part.greedy.values, **CURVES["greedy"].curve())
        curves.draw_mean(axes, rounds, realised, CURVES["realised by GP-UCB"], extremes=True)
        axes.plot(later, order, **CURVES["published order, constant 1"].curve())
        axes.set(xscale="log", yscale="log", xlim=(rounds[0], rounds[-1]), title=kernel.label)
    style.legend(figure, [look.handle(text) for text, look in CURVES.items()], 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        r"Information gain $1/2 \log \det(I + K/σ^2)$ against rounds, both axes logarithmic:"
        " the greedy maximum with replacement (within $1 - 1/e$ of the largest), and that of the arms"
        " GP-UCB plays on a function that does not change (dashed: mean over"
        f" {data.sizes['seed']} runs, band: from the lowest run to the highest). Dotted:"
        r" published orders with constant 1, $\log^2 T$ for the squared exponential and"
        r" $T^{1/(2 ν + 1)} \log^{2 ν/(2 ν + 1)} T$ for Matérn kernels: these are orders only, with"
        " unknown constants, so that a curve above the order does not contradict it."
    )
