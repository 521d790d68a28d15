"""Share of cases in which the confidence band contains the reward, per policy, against 1 - delta."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results.coverage import DELTA, shares

BREAK = 0.9
KINDS = {
    "arms": ("all arms in all rounds", style.Look(Colour.BLUE, "", "o")),
    "played": ("arms played", style.Look(Colour.GREEN, "", "^")),
    "rounds": ("rounds with all arms inside", style.Look(Colour.VERMILION, "", "s")),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: per policy, share of all arms and rounds, of arms played, of whole rounds."""
    frame = shares(collected[0])
    count = len(frame)
    figure, ((axes,),) = style.panels(0.32 * count + 1.15, title="What the confidence bands cover")
    for offset, (kind, (_, look)) in zip((-0.2, 0.0, 0.2), KINDS.items(), strict=True):
        y = np.arange(count) + offset
        low, high = frame[f"{kind}_low"].clip(lower=0), frame[f"{kind}_high"].clip(upper=1)
        axes.hlines(y, low, high, color=look.colour, linewidth=1.1)
        axes.plot(frame[kind], y, linestyle="", clip_on=False, zorder=4, **look.point())
    axes.axvline(1 - DELTA, color=style.INK, linewidth=0.9, linestyle=style.DASHED)
    axes.set_yticks(range(count), frame["method"])
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_xscale("function", functions=(_stretched, _shrunk))
    axes.set_xlim(-0.02, 1.005)
    axes.set_xticks([0, 0.3, 0.6, BREAK, 0.95, 1], ["0", "0.3", "0.6", f"{BREAK:g}", "0.95", "1"])
    axes.axvspan(BREAK, 1.005, color=Colour.GREY_F2, zorder=0)
    axes.grid(False, axis="y")
    axes.set_xlabel("share in which $|μ - f|$ ≤ width · $σ$; dashed: $1 - δ$; shaded: scale stretched")
    style.legend(figure, [look.handle(text) for text, look in KINDS.values()], 3)
    return figure


def _stretched(share: np.ndarray) -> np.ndarray:
    """The axis: what lies above BREAK has as much room as what lies below."""
    return np.where(share < BREAK, share / BREAK, 1 + (share - BREAK) / (1 - BREAK))


def _shrunk(place: np.ndarray) -> np.ndarray:
    """The inverse of `_stretched`."""
    return np.where(place < 1, place * BREAK, BREAK + (place - 1) * (1 - BREAK))


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        "Share of cases in which the reward lies within the confidence band of the round, on the"
        " functions of Mauduit25b, Fig. 2, with recommended settings: of all arms and rounds, of"
        " the arms played, and of the rounds in which all arms do. The theory asks for the last, in"
        f" all rounds at once, with probability $1 - δ = {1 - DELTA:g}$ (dashed). Means over"
        f" {data.sizes['seed']} runs, bars 95 % intervals of the mean."
    )
