"""Growth exponents of regret against the drift exponent in the two test beds, with the published
ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import growth, presentation

TITLES = {"ageing": "Ageing observations", "drift": "Drifting objective"}
FAINT = ("tv_gp_ucb", "w_gp_ucb", "sw_gp_ucb", "r_gp_ucb")  # whose exponent is near 1 at every rate of change
FAINT_LOOK = style.Look(Colour.GREY_9A, "-", "", width=0.8)
PUBLISHED = {
    "lower bound without queries": style.Look(style.INK, style.DASHED, "", width=1.0),
    "upper bound for GP-UCB": style.Look(style.INK, style.DOTTED, "", width=1.0),
    "upper bound for W-SparQ": style.Look(Colour.BLUE, style.DASH_DOT, "", width=0.9),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per test bed."""
    title = "Growth of regret against the rate of change"
    figure, panels = style.panels(4.3, 1, len(collected), title, sharey=True)
    limits = [_panel(axes, data) for axes, data in zip(panels[0], collected, strict=True)]
    panels[0, 0].set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    panels[0, 0].set_ylabel("growth exponent of $R_t$")
    names = growth.methods(*collected)
    entries = [style.entry(name) for name in names if name not in FAINT]
    if faint := [presentation.label(name).removesuffix("-GP-UCB") for name in names if name in FAINT]:
        entries.append(FAINT_LOOK.handle(f"{', '.join(faint)}-GP-UCB"))
    style.legend(figure, entries + [look.handle(text) for text, look in PUBLISHED.items()], 3)
    return figure


def _panel(axes: Axes, data: xr.Dataset) -> tuple[float, float]:
    """Draw a test bed; the limits of y that show all of it."""
    alphas = np.array(growth.alphas(data))
    fine = np.linspace(0, max(2.05, alphas.max() + 0.05), 200)
    names = growth.methods(data)
    exponents = {name: [growth.exponent(data, name, alpha) for alpha in alphas] for name in names}
    every = [value for row in exponents.values() for e in row for value in (e.mean, e.low, e.high)]
    top = max(1.25, np.nanmax(every) + 0.1)
    axes.axhspan(1, 2, color=Colour.GREY_F1, zorder=0)
    note: dict[str, Any] = {"ha": "right", "va": "top", "fontsize": 6.5, "color": style.SOFT_INK}
    axes.text(
        0.985,
        0.985,
        "above 1 regret per round still rises\nand upper bounds are vacuous",
        transform=axes.transAxes,
        **note,
    )
    published = np.minimum(1, (fine + 1) / 2), (3 * fine + 1) / 2, np.full(len(fine), 0.875)
    for values, look in zip(published, PUBLISHED.values(), strict=True):
        axes.plot(fine, values, zorder=1, **look.curve())
    for index, name in enumerate(names):
        centre = np.array([e.mean for e in exponents[name]])
        if name in FAINT:
            axes.plot(alphas, centre, zorder=2, **FAINT_LOOK.curve())
            continue
        ends = np.array([[e.mean - e.low, e.high - e.mean] for e in exponents[name]]).T
        look = style.look(name)
        axes.errorbar(
            alphas + 0.028 * (index - (len(names) - 1) / 2) / max(len(names) - 1, 1) * 2,
            centre,
            yerr=np.abs(ends),
            elinewidth=0.8,
            zorder=3,
            **look.marked() | {"linewidth": 0.8},
        )
    axes.set_xlim(0, fine[-1])
    axes.set_xticks(alphas, style.tick_labels(alphas, 0.2))
    axes.set(xlabel="drift exponent $α$", title=TITLES.get(results.name(data), results.title(data)))
    return max(0.0, float(np.floor(10 * min(0.5, np.nanmin(every))) / 10)), float(top)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    beds = []
    for data in collected:
        rounds = int(data["round"].values[-1])
        beds.append(
            f"{results.title(data)}: {data.sizes['seed']} runs of {rounds} rounds, slope from"
            f" {rounds // growth.DECADE} to {rounds}"
        )
    return (
        r"Growth exponent of cumulative regret (slope of $\log R_t$ on $\log t$, $R_t$ the mean over runs)"
        " against the drift exponent, on synthetic rewards. "
        + ". ".join(beds)
        + ". Bars are 95 % Student-t intervals over runs, left out with fewer than five"
        " runs; points of one $α$ are side by side. Black dashed: lower bound without queries,"
        r" $\min(1, (α + 1)/2)$, for the"
        " worst function; these are random."
        " Black dotted: upper bound for GP-UCB, $(3 α + 1)/2$ (Mauduit25b, Table 1). Blue"
        r" dash-dotted: upper bound for W-SparQ-GP-UCB at $\tilde α = 1/4$, 0.875 (Table 2)."
        r" TV-GP-UCB has the width of its paper, $\sqrt{0.8 \log 4t}$, the others the information width."
        " Logarithms are left out of these exponents. Grey: an exponent above 1 cannot last, because"
        " regret per round is bounded, so that an upper bound there says nothing."
    )
