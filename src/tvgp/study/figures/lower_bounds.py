"""Error of the best decision against the precision of the data and against numbers of queries
(Mauduit25b, Theorem 5.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style

ACROSS = True
COLOURS = {"even": "#0072b2", "bursts": "#d55e00", "w_sparq": "#009e73"}
WORDS = {"even": "evenly spaced", "bursts": "ten bursts", "w_sparq": "W-SparQ's times"}
MARKERS = ("o", "s", "^", "D", "v")


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: uniform queries above, adaptive ones below."""
    data = collected[0]
    width, tall, gap, between, left, bottom = 1.95, 1.75, 0.3, 0.35, 0.58, 1.05
    figure = style.new_figure(bottom + 2 * tall + between + 0.5)
    alphas = data.alpha.values
    for row, (kind, choice) in enumerate((("error", "uniform"), ("adaptive_error", "adaptive"))):
        panels = [
            style.axes_at(
                figure, left + column * (width + gap), bottom + (1 - row) * (tall + between), width, tall
            )
            for column in range(3)
        ]
        for part in data.part.values:
            selected, colour = data.sel(part=part), COLOURS.get(str(part), style.INK)
            error = selected[kind].mean("seed")
            for index, alpha in enumerate(alphas):
                at = selected.sel(alpha=alpha)
                point: dict[str, Any] = {
                    "linestyle": "",
                    "marker": MARKERS[index % len(MARKERS)],
                    "color": colour,
                    "markeredgewidth": 0,
                }
                every = error.sel(alpha=alpha)
                panels[0].plot(
                    at.precision.values.ravel(), every.values.ravel(), markersize=2.2, alpha=0.45, **point
                )
                mean = every.mean("time")
                horizon = at.horizon.values[:, None].astype(float)
                for axes, scale in (
                    (panels[1], horizon ** (alpha / (alpha + 1))),
                    (panels[2], horizon),
                ):
                    axes.plot(
                        (at.queries.values / scale).ravel(),
                        mean.values.ravel(),
                        markersize=3.6,
                        alpha=0.8,
                        **point,
                    )
        for axes, label in zip(
            panels,
            (r"precision  $S_\tau$", r"$N_T / T^{\alpha/(\alpha+1)}$", "$N_T / T$"),
            strict=True,
        ):
            axes.set_xscale("log")
            axes.set_ylim(-0.03, 1.05)
            axes.tick_params(labelleft=axes is panels[0], labelbottom=row == 1)
            if row == 1:
                axes.set_xlabel(label)
        panels[0].set_xlim(0.1, None)
        panels[0].set_ylabel(f"error, {choice} queries")
    entries = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            color=COLOURS.get(str(p), style.INK),
            label=WORDS.get(str(p), str(p)),
        )
        for p in data.part.values
    ]
    entries += [
        Line2D(
            [], [], linestyle="", marker=MARKERS[i % len(MARKERS)], color=style.SOFT_INK, label=f"α = {a:g}"
        )
        for i, a in enumerate(alphas)
    ]
    wide, high = figure.get_size_inches()
    figure.legend(
        handles=entries,
        loc="upper left",
        bbox_to_anchor=(left / wide, 0.5 / high),
        ncols=6,
        borderaxespad=0,
        borderpad=0,
        columnspacing=1.3,
        handletextpad=0.3,
    )
    style.title_above(figure, "Best decision at a frozen horizon (Mauduit25b, Theorem 5.3)", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    data = collected[0]
    horizons = ", ".join(f"{h:,}" for h in data.horizon.values)
    return (
        "Probability that the most probable function is not the true one, f uniform on"
        f" {int(np.nanmax(data.functions))} bumps, from queries whose noise variance at time τ is"
        f" σ²(1 + lag^α), for T = {horizons} and three schedules. Left: against the precision S_τ"
        " of the answers at τ, a point for each τ in the second half of the run: schedules that"
        " spread queries over many rounds fall on one curve, bursts scatter, because few answers"
        " then carry the precision. Middle and right: the mean over τ against the number of"
        " queries N_T over T^(α/(α+1)), the threshold of Theorem 5.3, and over T. Queries go to"
        " uniformly random centres (above) or to the centre with the largest upper bound (below)."
        f" Means over {data.sizes['seed']} repetitions; no band."
    )
