"""Regret against expert queries: AW-SparQ beside W-SparQ at assumed exponents and fresh samples."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import adaptive

ACROSS = True
COLUMNS = 5
FAMILIES: dict[str, tuple[style.Look | str, str]] = {  # the variant whose look it has
    "assumed": ("w_sparq_gp_ucb", "W-SparQ, exponent assumed"),
    "fresh": ("w_sparq_domain_greedy", "the same, greedy over the domain"),
}
SINGLE: dict[str, tuple[style.Look | str, str]] = {
    "adaptive": (style.Look(Colour.VERMILION, "", "*"), "AW-SparQ"),
    "known": (style.Look(Colour.BLACK, "", "s", filled=False), "AW-SparQ, drift known"),
}
WITHOUT = style.Look(style.SOFT_INK, style.DOTTED, "")


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a panel per drift and further environment."""
    cells = adaptive.cells(collected[0])
    columns = min(COLUMNS, len(cells))
    rows = math.ceil(len(cells) / columns)
    figure, panels = style.panels(0.9 + 1.6 * rows, rows, columns, sharex=True)
    for axes, (name, cell) in zip(panels.flat, cells.items(), strict=False):
        _panel(axes, name, cell)
    for axes in panels.flat[len(cells) :]:
        axes.set_axis_off()
    for axes in panels[:, 0]:
        axes.set_ylabel("regret per round")
    for axes in panels[-1]:
        axes.set_xlabel("expert queries")
    entries = [style.look(shown).handle(label) for shown, label in (*FAMILIES.values(), *SINGLE.values())]
    style.legend(figure, [*entries, WITHOUT.handle("GP-UCB, no queries")], 3)
    return figure


def _panel(axes: Axes, name: str, cell: xr.Dataset) -> None:
    for family, (shown, _) in FAMILIES.items():
        look = style.look(shown)
        places, runs = adaptive.curve(cell, family)
        if len(places):
            bars = curves.bars(runs)
            axes.errorbar(places, runs.mean(axis=0), yerr=bars, elinewidth=0.7, **look.curve() | look.point())
    for variant, (shown, _) in SINGLE.items():
        look = style.look(shown)
        asked, regret = (adaptive.values(cell, key, variant) for key in ("queries", "regret"))
        if asked is not None and regret is not None:
            axes.errorbar(
                max(asked.mean(), 1.0),
                regret.mean(),
                yerr=curves.bars(regret[:, None]),
                color=look.colour,
                zorder=4,
                markersize=9 if look.marker == "*" else 5,
                elinewidth=0.9,
                **look.point(),
            )
    plain = adaptive.values(cell, "regret", "gp_ucb")
    if plain is not None:
        axes.axhline(plain.mean(), zorder=1, **WITHOUT.curve())
    axes.set_xscale("log")
    axes.set_xlim(0.6, 5e4)
    axes.set_xticks([1, 100, 1e4])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    drift = np.isfinite(cell.true_alpha)
    axes.set_title(
        f"$α$ {cell.true_alpha.item():g}, step {cell.step.item():g}" if drift else name.replace("_", " ")
    )


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        f"Regret per round after the first fifth of {data.sizes['round']} rounds against the number of expert"
        " queries, all methods at width 2. Blue: W-SparQ with its published windows; each point assumes one"
        " exponent. Dark, open: the same windows, but the greedy set over the whole domain, so that only the"
        " number of fresh samples counts. Star: AW-SparQ, which is given neither exponent nor size of the"
        " drift; square: its windows with both known. The star helps where it lies below both curves. Dotted:"
        " GP-UCB. switch: the exponent changes from 0.5 to 1.5 at half-time; static: one draw; rkhs_sine and"
        f" moving_bump have no exponent. Means over {data.sizes['seed']} runs,"
        f" {curves.bands_text(data.sizes['seed']).replace('bands', 'bars')}, synthetic rewards."
    )
