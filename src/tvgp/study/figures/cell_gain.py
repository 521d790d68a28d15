"""Information gain on the whole domain and in single cells of pi-GP-UCB, beside the published
exponents (Janz20, section 4)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.claims.janz20 import SMOOTHNESS
from tvgp.study.figures.base import style

ACROSS = True
KINDS = {
    "greedy": ("whole domain, greedy", style.Look("#000000", "-", "o")),
    "realised": ("whole domain, IGP-UCB", style.Look("#4d4d4d", style.DASH_DOT, "p")),
    "largest_cell": ("largest cell, π-GP-UCB to T", style.Look("#0072b2", style.LONG_DASHED, "H")),
}


def published(d: int) -> tuple[float, float]:
    """Exponents of T in the upper bounds of Janz20 (Theorem 4) and of Srinivas et al. (2010)."""
    pairs = d * (d + 1)
    return pairs / (pairs + 2 * SMOOTHNESS + d), pairs / (2 * SMOOTHNESS + pairs)


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a panel for each d."""
    data = collected[0].sortby("d")
    width, tall, gap, left, bottom = 1.95, 2.3, 0.32, 0.55, 0.95
    figure = style.new_figure(bottom + tall + 0.5)
    steps = data.step.values
    every = {"step": 4, "rounds": 1}
    for column, name in enumerate(data.part.values):
        selected = data.sel(part=name)
        axes = style.axes_at(figure, left + column * (width + gap), bottom, width, tall)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for kind, (_, look) in KINDS.items():
            (axis,) = set(selected[kind].dims) - {"seed"}
            x, values = selected[axis].values, selected[kind].transpose("seed", axis).values
            there = np.isfinite(values).all(axis=0)
            mean = values.mean(axis=0)[there]
            axes.fill_between(
                x[there],
                values.min(axis=0)[there],
                values.max(axis=0)[there],
                color=look.colour,
                alpha=0.15,
                linewidth=0,
            )
            marks = every[str(axis)]
            axes.plot(x[there], mean, markevery=marks, markersize=3.4, **look.curve(), **look.point())
        d = int(selected.d)
        for exponent, line in zip(published(d), (style.DASHED, style.DOTTED), strict=True):
            axes.plot(
                steps, 1.5 * (steps / steps[0]) ** exponent, color="#d55e00", linestyle=line, linewidth=1
            )
        axes.set_xlim(steps[0], steps[-1])
        axes.set_ylim(1, 1000)
        axes.set_title(f"d = {d}: T^{published(d)[0]:.2f}, T^{published(d)[1]:.2f}")
        axes.set_xlabel("rounds T")
        axes.tick_params(labelleft=column == 0)
        if column == 0:
            axes.set_ylabel(r"information gain  $\gamma_T$ (nats)")
    entries = [(text, look) for text, look in KINDS.values()]
    entries += [
        ("slope of Janz20, Theorem 4", style.Look("#d55e00", style.DASHED, "")),
        ("slope of Srinivas et al.", style.Look("#d55e00", style.DOTTED, "")),
    ]
    style.legend_below(figure, entries, 3, left, 0.45)
    style.title_above(figure, "Growth of the information gain, Matérn 3/2, 30^d points", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    data = collected[0]
    functions = data.sizes["seed"]
    means = (
        f" Means over {functions} functions; bands from the least to the largest."
        if functions > 1
        else " One function."
    )
    return (
        "Information gain 1/2 log det(I + K / lambda), lambda = 1, on 30^d points: of the greedy"
        " sequence of largest variance, which is within 1 - 1/e of the maximum, of the points that"
        " IGP-UCB played, and the largest that any cell of pi-GP-UCB had in a run of T rounds, each"
        " T a run of its own."
        f"{means} The published upper exponents are drawn as slopes from an arbitrary height, so"
        " only directions compare; on a finite grid every gain ends as a multiple of log T. Where a"
        " curve ends early, it was computed to fewer rounds."
    )
