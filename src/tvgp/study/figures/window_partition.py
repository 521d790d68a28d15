"""Which past inputs W-SparQ-GP-UCB keeps, asks again and drops (Mauduit25b, Fig. 1)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style

ACROSS = True
FATES = (
    ("own observation of the window", style.Look("#009e73", "", "D")),
    ("asked again at its start", style.Look("#d55e00", "", "P")),
    ("dropped", style.Look("#9aa5ad", "", "o", filled=False)),
)


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: inputs over rounds."""
    selected = collected[0].isel(part=0, seed=0)
    rounds, place, fate = selected["round"].values, selected.place.values, selected.fate.values
    starts = rounds[selected.starts.values == 1]
    figure = style.new_figure(3.4)
    axes = style.axes_at(figure, 0.62, 0.85, style.WIDTH - 0.75, 2.1)
    for edge in starts[1::2]:
        after = starts[starts > edge]
        axes.axvspan(
            edge + 0.5,
            after[0] + 0.5 if len(after) else rounds[-1] + 1.5,
            color="#f1f1f1",
            linewidth=0,
            zorder=0,
        )
    axes.axvline(starts[-1] + 0.5, color=style.INK, linewidth=0.9, linestyle=style.DASHED)
    for index in (2, 1, 0):
        _, look = FATES[index]
        here = fate == index
        axes.plot(rounds[here], place[here], linestyle="", markersize=4.6, zorder=3, **look.point())
    axes.set_xlim(-0.5, rounds[-1] + 1.5)  # room for the markers at both ends
    axes.set_xlabel("round")
    axes.set_ylabel("input x")
    axes.grid(False)
    style.legend_below(figure, FATES, 3, 0.62, 0.33)
    style.title_above(
        figure, f"What W-SparQ-GP-UCB knows after round {rounds[-1]} (Mauduit25b, Fig. 1)", 0.62
    )
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    selected = collected[0].isel(part=0, seed=0)
    fate = selected.fate.values
    own, asked, dropped = (int((fate == k).sum()) for k in range(3))
    start = int(selected["round"].values[selected.starts.values == 1][-1])
    distinct = len(np.unique(selected.place.values[fate == 1]))
    return (
        f"Inputs played in a real run and what became of them after round {fate.size}: {own} own"
        f" observations since the expert was asked (dashed line, after round {start}), {asked}"
        f" plays of the {distinct} inputs that it was asked about, {dropped} dropped."
        f" Shades are the windows of eq. (32), alpha = {float(selected.alpha):g}, alpha_tilde ="
        f" {float(selected.alpha_tilde):g}. One run; no band."
    )
