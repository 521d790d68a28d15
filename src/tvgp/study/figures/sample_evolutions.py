"""Functions drawn from the Gauss-Markov model at several times, the maximum marked (Bogunovic16,
Fig. 1)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style

ACROSS = True
NAMES = {"se": "squared exponential", "matern32": "Matérn 3/2"}


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a row for each kernel, a column for each time."""
    data = collected[0]
    times = data.time.values
    columns, rows = len(times), data.sizes["part"]
    left, gap, bottom, between = 0.42, 0.08, 0.72, 0.34
    panel = (style.WIDTH - left - 0.08 - gap * (columns - 1)) / columns
    figure = style.new_figure(bottom + rows * panel + (rows - 1) * between + 0.42)
    limit = float(np.abs(data.value.values).max())
    for row, part in enumerate(data.part.values):
        selected = data.sel(part=part).isel(seed=0)
        best = selected.best.transpose("round", "axis").values
        for column, time in enumerate(times):
            axes = style.axes_at(
                figure,
                left + column * (panel + gap),
                bottom + (rows - 1 - row) * (panel + between),
                panel,
                panel,
            )
            # x along the horizontal axis: images take rows for it
            painted = axes.imshow(
                selected.value.sel(time=time).transpose("y", "x").values,
                origin="lower",
                extent=(0, 1, 0, 1),
                cmap="RdBu_r",
                vmin=-limit,
                vmax=limit,
                aspect="auto",
            )
            path = best[max(0, time - 31) : time]
            axes.plot(path[:, 0], path[:, 1], color=style.INK, linewidth=0.7)
            axes.plot(
                *best[time - 1],
                marker="*",
                markersize=9,
                markerfacecolor="#ffffff",
                markeredgecolor=style.INK,
                linestyle="",
                clip_on=False,
            )
            axes.grid(False)
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 1)
            axes.set_xticks([0, 1])
            axes.set_yticks([0, 1])
            axes.tick_params(labelleft=column == 0, labelbottom=False, length=2)
            axes.set_title(f"t = {time}", fontsize=7.5, fontweight="normal", pad=3)
            if column == 0:
                axes.set_ylabel(NAMES.get(str(selected.kernel.item()), str(selected.kernel.item())))
    bar = style.axes_at(figure, left, 0.4, 2.4, 0.09)
    figure.colorbar(painted, cax=bar, orientation="horizontal").outline.set_linewidth(0.5)
    bar.set_xlabel("$f_t(x)$, prior standard deviation 1")
    style.title_above(figure, str(data.attrs["title"]), left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    data = collected[0]
    epsilon, scale = float(data.epsilon[0]), float(data.length_scale[0])
    return (
        f"Two functions drawn from the Gauss-Markov model with epsilon = {epsilon:g} on [0, 1]^2,"
        f" length-scale {scale:g}, at several rounds t (Bogunovic16, Fig. 1). The star marks the"
        " maximum, the line where it was in the 30 rounds before. One sample a kernel, one colour"
        " scale for all panels; no band, because nothing is averaged."
    )
