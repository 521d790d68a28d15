"""Measured time of one step of Thompson sampling against rounds and candidates (Vakili21, Table 1),
with the slopes of lines fitted on logarithmic axes."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.study.tables.step_cost import most_common, series, slope

ACROSS = True
METHODS = {  # method: (look of, label)
    "textbook": ("oracle", "exact, anew each step"),
    "joint": ("gp_ts", "exact, joint root"),
    "pathwise": ("gp_ts_pathwise", "exact, pathwise"),
    "points": ("s_gp_ts", "sparse, m = {m}, M = {M}"),
}


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    (data,) = collected
    figure = style.new_figure(3.2)
    for left, axis, label in ((0.62, "rounds", "rounds  t"), (4.15, "candidates", "candidates  G")):
        axes = style.axes_at(figure, left, 0.85, 2.75, 2.0)
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = []
        for method, (variant, _) in METHODS.items():
            x, y = series(data, method, axis)
            look = style.look(variant)
            axes.plot(x, y, **look.curve(), **look.point())
            ends.append((y[-1], round(slope(x, y), 1) + 0.0, look.colour))  # no minus before a zero
        low, high = np.log(axes.get_ylim())
        positions = [(np.log(y) - low) / (high - low) for y, _, _ in ends]
        heights = style.spread(positions, 0.065, 0.0, 1.0)
        for (_, fitted, colour), height in zip(ends, heights, strict=True):
            axes.text(
                1.01, height, f"{fitted:.1f}", transform=axes.transAxes, fontsize=7, va="center", color=colour
            )
        other, name = ("candidates", "G") if axis == "rounds" else ("rounds", "t")
        axes.set_title(f"{name} = {most_common(data, other):,.0f}")
        axes.set_xlabel(label)
        axes.set_ylabel("time of a step (s)")
        axes.set_xticks(x, [f"{value:,.0f}" for value in x])
        axes.xaxis.set_minor_locator(NullLocator())
    m, M = (int(np.ravel(data[name])[0]) for name in ("size", "features"))
    entries = [(text.format(m=m, M=f"{M:,}"), style.look(variant)) for variant, text in METHODS.values()]
    style.legend_below(figure, entries, 4, 0.3, 0.3)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    (data,) = collected
    runs = data.sizes["seed"]
    timed = "a single run a point" if runs == 1 else f"means over {runs} runs"
    return (
        "Measured CPU time of one step of Thompson sampling, one thread, on synthetic rewards"
        f" ({timed}, so without bands): a choice and an observation, Matern 5/2 kernel in two"
        " dimensions. Numbers at the curves are slopes fitted to their last three points. Vakili21"
        " states O(t^3 + G^3) for exact sampling, which the first method does, and"
        " O((m + M) G + t m^2) for sparse sampling, where ours keeps sums and has no term in t. The"
        " other two exact methods have the same law: one keeps a root of the joint covariance,"
        " O(G^2), one corrects prior draws at the data, O(t^2 + t G + G^2). Measured slopes are"
        " steeper where a matrix outgrows the caches, flatter where small terms still count."
    )
