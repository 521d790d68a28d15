"""Functions drawn from the Gauss-Markov model at several times, the maximum marked (Bogunovic16,
Fig. 1)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp import kernels
from tvgp.study.figures.base import style


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row for each kernel, a column for each time."""
    data = collected[0]
    times, rows = data.time.values, data.sizes["part"]
    height = 0.95 + rows * 7.2 / len(times)
    figure, panels = style.panels(
        height, rows, len(times), str(data.attrs["title"]), sharex=True, sharey=True
    )
    limit = float(np.abs(data.value.values).max())
    for row, part in zip(panels, data.part.values, strict=True):
        selected = data.sel(part=part).isel(seed=0)
        best = selected.best.transpose("round", "axis").values
        for axes, time in zip(row, times, strict=True):
            # x along the horizontal axis, where images have columns
            painted = axes.imshow(
                selected.value.sel(time=time).transpose("y", "x").values,
                origin="lower",
                extent=(0, 1, 0, 1),
                cmap="RdBu_r",
                vmin=-limit,
                vmax=limit,
            )
            path = best[max(0, time - 31) : time]
            axes.plot(path[:, 0], path[:, 1], color=style.INK, linewidth=0.7)
            star = style.Look(style.INK, "", "*", filled=False)
            axes.plot(*best[time - 1], linestyle="", markersize=9, clip_on=False, **star.point())
            axes.grid(False)
            axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 1], yticks=[0, 1])
            axes.set_title(f"$t = {time}$", fontweight="normal", pad=3)
        row[0].set_ylabel(kernels.find(str(selected.kernel.item())).label)
    bar = figure.colorbar(painted, ax=panels, orientation="horizontal", shrink=0.35, aspect=30, anchor=(0, 0))
    bar.outline.set_linewidth(0.5)
    bar.set_label("$f_t(x)$, prior standard deviation 1")
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    epsilon, scale = float(data.epsilon[0]), float(data.length_scale[0])
    return (
        f"Two functions drawn from the Gauss-Markov model with $ε = {epsilon:g}$ on $[0, 1]^2$,"
        f" length-scale {scale:g}, at several rounds $t$ (Bogunovic16, Fig. 1). The star marks the"
        " maximum, the line where it was in the 30 rounds before. One sample per kernel, one colour"
        " scale for all panels; no band, because nothing is averaged."
    )
