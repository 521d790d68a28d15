"""Regret and queries of AW-SparQ, which is not given the drift exponent, beside W-SparQ's at the best."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import adaptive

ASSUMED = style.Look(Colour.BLUE, "-", "X", width=2.2)
SINGLE = {  # variant: look, label
    "adaptive": (style.Look(Colour.VERMILION, "", "*"), "AW-SparQ, which estimates the drift"),
    "known": (style.Look(Colour.BLACK, "", "s", filled=False), "AW-SparQ, drift known"),
    "gp_ucb": (style.Look(style.SOFT_INK, "", "|"), "GP-UCB, no queries"),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row per drift and further environment, regret at the left and queries at the right."""
    cells = adaptive.cells(collected[0])
    title = "Does AW-SparQ do without the drift exponent?"
    figure, ((regret, asked),) = style.panels(1.3 + 0.2 * len(cells), 1, 2, title, sharey=True)
    for row, cell in enumerate(cells.values()):
        _row(regret, asked, row, cell)
    names = [
        f"$α = {cell.true_alpha.item():g}$, step {cell.step.item():g}"
        if np.isfinite(cell.true_alpha)
        else name.replace("_", " ")
        for name, cell in cells.items()
    ]
    regret.set_yticks(range(len(cells)), names)
    regret.set_ylim(len(cells) - 0.5, -0.5)
    regret.axvline(1, color=style.INK, linewidth=0.8, zorder=1)
    regret.set(xscale="log", xlabel="regret / least of W-SparQ at any exponent")
    style.x_ticks(regret, (0.2, 0.5, 1, 2, 5, 10))
    asked.set(xscale="log", xlim=(0.6, 5e4), xlabel="expert queries (0 at the left end)")
    asked.minorticks_off()
    entries = [ASSUMED.handle("W-SparQ, least to most over assumed exponents; cross: at its least regret")]
    style.legend(figure, [*entries, *(look.handle(label) for look, label in SINGLE.values())], 2)
    return figure


def _row(regret: Axes, asked: Axes, row: int, cell: xr.Dataset) -> None:
    queries, runs = adaptive.curve(cell, "assumed")
    if not len(queries):
        return
    means = runs.mean(axis=0)
    best = int(np.argmin(means))
    for axes, x, at in ((regret, means / means[best], 1.0), (asked, np.maximum(queries, 0.7), queries[best])):
        axes.plot([x.min(), x.max()], [row, row], alpha=0.45, solid_capstyle="butt", **ASSUMED.curve())
        axes.plot(max(at, 0.7), row, color=ASSUMED.colour, markersize=5, **ASSUMED.point())
    for variant, (look, _) in SINGLE.items():
        own, count = (adaptive.values(cell, key, variant) for key in ("regret", "queries"))
        if own is None or count is None:
            continue
        size: dict[str, Any] = {
            "color": look.colour,
            "markersize": 9 if look.marker in "*|" else 5,
            "zorder": 4,
        }
        share = adaptive.ratio(own, runs[:, best])
        bars = (
            None
            if variant == "gp_ucb" or np.isnan(share.low)
            else [[share.mean - share.low], [share.high - share.mean]]
        )
        regret.errorbar(share.mean, row, xerr=bars, elinewidth=0.9, **size, **look.point())
        if variant != "gp_ucb":
            asked.plot(max(count.mean(), 0.7), row, **size, **look.point())


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        f"Left: regret after the first fifth of {data.sizes['round']} rounds over that of W-SparQ with the"
        " exponent, of those tried, that has the least regret in the same runs. Right: expert queries. All"
        " methods at width 2. Blue: W-SparQ with its published windows at all exponents that it may assume."
        " Star: AW-SparQ, which is given neither exponent nor size of the drift; square: its windows with"
        " both known. AW-SparQ does without them where its star lies at 1 or left of it, with no more"
        " queries. switch: the exponent changes from 0.5 to 1.5 at half-time; static: one draw; rkhs_sine and"
        f" moving_bump have no exponent. Means over {data.sizes['seed']} runs,"
        f" {curves.bands_text(data.sizes['seed']).replace('bands', 'bars')}, synthetic rewards."
    )
