"""Expert queries of the published schedules, to 10^7 rounds."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.typing import LineStyleType

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour

# lines that differ without colour, for up to six drift exponents
_LINES: tuple[LineStyleType, ...] = (
    style.DOTTED,
    style.DASHED,
    "-",
    style.DASH_DOT,
    style.LONG_DASHED,
    style.DASH_DOT_DOT,
)
_BLUES = (Colour.PALE_BLUE, Colour.LIGHT_BLUE, Colour.BLUE, Colour.DARK_BLUE, Colour.NAVY, Colour.MIDNIGHT)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    part = data.isel(part=0)
    figure = style.new_figure(3.35)
    axes = style.axes_at(figure, 0.6, 0.5, 4.2, 2.5)
    rounds = part["round"].values
    red = style.look("sparq_gp_ucb")
    sparq = part.sparq.values / rounds
    axes.plot(rounds, sparq, **red.curve())
    last = np.flatnonzero(np.isfinite(sparq))[-1]
    axes.annotate(
        "SparQ", (rounds[last], sparq[last]), xytext=(0, -9), textcoords="offset points", fontsize=6.5
    )
    ends = []
    for index, alpha in enumerate(part.alpha.values):
        look = style.Look(_BLUES[index % 6], _LINES[index % 6], "")
        values = part.w_sparq.sel(alpha=alpha).values / rounds
        axes.plot(rounds, values, **look.curve())
        ends.append((values[-1], f"$α = {alpha:g}$", look))
    axes.set(xscale="log", yscale="log", xlim=(rounds[0], rounds[-1]))
    axes.set_xlabel("rounds $T$")
    axes.set_ylabel("expert queries per round  $N_T/T$")
    axes.set_title("Queries of SparQ and W-SparQ")
    axes.set_ylim(top=1.5 * np.nanmax(sparq))
    style.label_ends(axes, ends, size=6.5)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    part = collected[0].isel(part=0)
    return (
        "Expert queries per round so far of the published schedules, computed without a run:"
        rf" $⌈{float(part.query_scale):g} \log t⌉$, at most $t$, in each query round; SparQ queries in"
        r" every round, W-SparQ at the starts of its windows (32), $\tilde α ="
        f" {float(part.alpha_tilde):g}$, for several drift exponents."
    )
