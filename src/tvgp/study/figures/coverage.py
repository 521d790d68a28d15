"""How often the confidence band holds the truth, policy by policy, against 1 - delta."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.study.tables import coverage as table

ACROSS = True


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: for each policy, share of arms and rounds, of arms played, of whole rounds."""
    frame = table.rows(collected, table.Parameters())
    count = len(frame)
    figure = style.new_figure(0.32 * count + 1.15)
    axes = style.axes_at(figure, 1.55, 0.75, style.WIDTH - 1.8, 0.32 * count)
    kinds = (("arms", "o", "#0072b2"), ("played", "^", "#009e73"), ("rounds", "s", "#d55e00"))
    for y, row in enumerate(frame.to_dict("records")):
        for offset, (kind, marker, colour) in zip((-0.2, 0.0, 0.2), kinds, strict=True):
            low, high = row[f"{kind}_low"], row[f"{kind}_high"]
            if np.isfinite(low):
                axes.plot([max(low, 0), min(high, 1)], [y + offset] * 2, color=colour, linewidth=1.1)
            axes.plot(
                row[kind],
                y + offset,
                marker=marker,
                color=colour,
                markersize=4.4,
                linestyle="",
                clip_on=False,
                zorder=4,
            )
    axes.axvline(1 - table.DELTA, color=style.INK, linewidth=0.9, linestyle=style.DASHED)
    axes.set_yticks(range(count), frame["method"])
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.grid(False, axis="y")
    axes.set_xlabel("share in which |μ - f| ≤ width · σ; dashed: 1 - δ")
    style.legend_below(
        figure,
        [
            ("arms and rounds", style.Look("#0072b2", "", "o")),
            ("arms played", style.Look("#009e73", "", "^")),
            ("rounds with all arms inside", style.Look("#d55e00", "", "s")),
        ],
        3,
        1.55,
        0.24,
    )
    style.title_above(figure, "What the confidence bands cover", 1.55)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        "Share of cases in which the reward lies within the confidence band of the round, on the"
        " functions of Mauduit25b, Fig. 2, with recommended settings: of all arms and rounds, of"
        " the arms played, and of the rounds in which all arms do. The theory asks for the last, in"
        f" all rounds at once, with probability 1 - δ = {1 - table.DELTA:g} (dashed). Means over"
        f" {data.sizes['seed']} runs, bars 95 % intervals of the mean."
    )
