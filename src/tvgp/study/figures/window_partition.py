"""Past inputs that W-SparQ-GP-UCB keeps, queries again and drops (Mauduit25b, Fig. 1)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour

FATES = (
    ("own observation of the window", style.Look(Colour.GREEN, "", "D")),
    ("queried at its start", style.Look(Colour.VERMILION, "", "P")),
    ("dropped", style.Look(Colour.STEEL, "", "o", filled=False)),
)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: inputs over rounds."""
    selected = collected[0].isel(part=0, seed=0)
    rounds, inputs, fate = selected["round"].values, selected.place.values, selected.fate.values
    starts = rounds[selected.starts.values == 1]
    title = f"What W-SparQ-GP-UCB knows after round {rounds[-1]} (Mauduit25b, Fig. 1)"
    figure, ((axes,),) = style.panels(3.4, title=title)
    for edge in starts[1::2]:
        after = starts[starts > edge]
        axes.axvspan(
            edge + 0.5,
            after[0] + 0.5 if len(after) else rounds[-1] + 1.5,
            color=Colour.GREY_F1,
            linewidth=0,
            zorder=0,
        )
    axes.axvline(starts[-1] + 0.5, color=style.INK, linewidth=0.9, linestyle=style.DASHED)
    for index in (2, 1, 0):
        _, look = FATES[index]
        here = fate == index
        axes.plot(rounds[here], inputs[here], linestyle="", markersize=4.6, zorder=3, **look.point())
    axes.set_xlim(-0.5, rounds[-1] + 1.5)  # room for the markers at both ends
    axes.set_xlabel("round")
    axes.set_ylabel("input x")
    axes.grid(False)
    style.legend(figure, [look.handle(text) for text, look in FATES], 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    selected = collected[0].isel(part=0, seed=0)
    fate = selected.fate.values
    own, asked, dropped = (int((fate == k).sum()) for k in range(3))
    start = int(selected["round"].values[selected.starts.values == 1][-1])
    distinct = len(np.unique(selected.place.values[fate == 1]))
    return (
        f"Inputs of a run, by their use after round {fate.size}: {own} own observations since the"
        f" last expert queries (dashed line, after round {start}), {asked} plays of the {distinct}"
        f" queried inputs, {dropped} dropped."
        rf" Shades are the windows of eq. (32), $α = {float(selected.alpha):g}$, $\tilde α ="
        f" {float(selected.alpha_tilde):g}$. One run; no band."
    )
