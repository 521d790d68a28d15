"""What the best of few observations leaves between their posterior and that of all: divergence and variance
ratio over rounds, with their closed-form lower bounds (Mauduit25b, Propositions 3.2 and 3.4)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.theory.divergence import ETA

FEW = style.Look(Colour.VERMILION, "-", "P")
ALL = style.Look(Colour.WINE, "-", "s")
VARIATIONAL = style.Look(Colour.BLUE, style.DASHED, "o", filled=False)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: divergence on the left, variance ratio on the right."""
    data = collected[0].isel(part=0)
    title = "No number of queries brings SparQ's posterior near that of all rounds"
    figure, (row,) = style.panels(3.3, 1, 2, title)
    few, every = data.isel(scale=0), data.isel(scale=-1)
    for axes, quantity, least, variational in (
        (row[0], "divergence", "least_divergence", "variational_divergence"),
        (row[1], "ratio", "least_ratio", "variational_ratio"),
    ):
        axes.set(xscale="log", yscale="log", xlabel="round $T$")
        for part, look in ((few, FEW), (every, ALL)):
            _mean(axes, part, quantity, look)
            _mean(axes, part, least, style.Look(look.colour, style.DOTTED, ""))
        _mean(axes, few, variational, VARIATIONAL)
    row[0].set(ylabel="mean KL to all data (nats)", ylim=(0.02, None))
    row[1].set(ylabel="variance ratio, input played most", ylim=(0.7, None))
    style.reference(row[0], ETA / 2, "claimed", style.INK)
    style.reference(row[1], 1 + np.sqrt(3 * ETA), "claimed", style.INK)
    scale = float(few.scale)
    entries = [
        FEW.handle(rf"one answer at each of $M = ⌈{scale:g} \log T⌉$ inputs"),
        ALL.handle("one answer at every input played"),
        VARIATIONAL.handle(rf"variational, $⌈{scale:g} \log T⌉$ inputs, all outputs"),
        style.Look(style.INK, style.DOTTED, "").handle("least for any $M$ observations, any kernel"),
    ]
    style.legend(figure, entries, 2)
    return figure


def _mean(axes: Axes, part: xr.Dataset, quantity: str, look: style.Look) -> None:
    values = part[quantity].transpose("seed", "time").values
    curves.draw_mean(axes, part.time.values, values, look, extremes=True, markersize=4)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        "Left: mean over the data of the KL divergence to the posterior from all $T$ virtual"
        " observations of $f_T$. Orange: from one answer at each of the greedy inputs that a run of"
        " SparQ-GP-UCB would ask about; wine: at every input that it played, which no query set"
        " without repeats can better. Blue: the variational posterior on the orange inputs, which"
        " the cited theorem is about and which uses all outputs. Dotted: the least possible,"
        " $(T - M) k / 2 (σ^2 + M k)$, for any kernel with $k(x, x) = k$ and any $M$ of the $T$"
        " observations, repeats included. Right: posterior variance over that from all observations"
        " at the input played most, $n$ times, and its least value"
        " $(σ^2 + n k) / (σ^2 + M k)$. Black: what Propositions 3.2 and 3.4 claim,"
        r" $2 \mathrm{KL} ≤ η ≤ 1/5$ and eq. (25). Functions of Mauduit25b, Fig. 2,"
        f" $σ^2 = {float(data.noise_variance.values.flat[0]):g}$; means over {data.sizes['seed']} runs,"
        " bands from the lowest run to the highest."
    )
