"""Measured time of one step of Thompson sampling against rounds and candidates (Vakili21, Table 1),
with the slopes of lines fitted on logarithmic axes."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results.step_cost import most_common, series, slope

METHODS: dict[str, tuple[style.Look | str, str]] = {  # look, or the variant whose look it has
    "textbook": (style.Look(Colour.BLACK, "-", "s"), "exact, anew each step"),
    "joint": ("gp_ts", "exact, joint root"),
    "pathwise": ("gp_ts_pathwise", "exact, pathwise"),
    "points": ("s_gp_ts", "sparse, $m = {m}$, $M = {M}$"),
}
AXES = (("rounds", "t", "candidates", "G"), ("candidates", "G", "rounds", "t"))


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: time against rounds on the left, against candidates on the right."""
    (data,) = collected
    figure, panels = style.panels(3.5, 1, 2, "Time of one step of Thompson sampling", sharey=True)
    for axes, (axis, symbol, other, fixed) in zip(panels[0], AXES, strict=True):
        axes.set(xscale="log", yscale="log", xlabel=f"{axis}  {symbol}")
        last, slopes = [], []
        for method, (shown, _) in METHODS.items():
            look = style.look(shown)
            x, y = series(data, method, axis)
            axes.plot(x, y, **look.marked())
            last.append(np.log10(y[-1]))
            slopes.append((f"{slope(x, y):z.1f}", look.colour))
        for height, (text, colour) in zip(style.spread(last, 0.25, -9, 9), slopes, strict=True):
            at = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
            axes.annotate(text, (x[-1], 10**height), fontsize=7, color=colour, **at)
        axes.set_title(f"{fixed} = {most_common(data, other):,.0f}")
        axes.set_title("slopes", loc="right", fontsize=7, fontweight="normal")
        axes.set_xticks(x, [f"{value:,.0f}" for value in x])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlim(right=1.25 * x[-1])
    panels[0, 0].set_ylabel("time per step (s)")
    m, M = (int(np.ravel(data[name])[0]) for name in ("size", "features"))
    entries = [style.look(shown).handle(text.format(m=m, M=f"{M:,}")) for shown, text in METHODS.values()]
    style.legend(figure, entries, 4)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    runs = data.sizes["seed"]
    timed = "one run per point" if runs == 1 else f"means over {runs} runs"
    return (
        "CPU time of one step of Thompson sampling, one thread, on synthetic rewards"
        f" ({timed}, so without bands): a choice and an observation, Matern 5/2 kernel in two"
        " dimensions. Numbers at the curves are slopes fitted to their last three points. Vakili21"
        " states $O(t^3 + G^3)$ for exact sampling, which the first method does, and"
        " $O((m + M) G + t m^2)$ for sparse sampling, where ours keeps sums and has no term in $t$. The"
        " other two exact methods have the same law: one keeps a root of the joint covariance,"
        " $O(G^2)$, one corrects prior draws at the data, $O(t^2 + t G + G^2)$. Measured slopes are"
        " steeper where a matrix outgrows the caches, flatter where small terms still count."
    )
