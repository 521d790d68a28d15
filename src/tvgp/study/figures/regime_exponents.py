"""Growth exponents of regret against the drift exponent in the two test beds, with the published
ones."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.results import growth

ACROSS = True


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    figure = style.new_figure(3.95)
    for index, data in enumerate(collected):
        axes = style.axes_at(figure, 0.55 + 3.45 * index, 1.2, 3.05, 2.4)
        _panel(axes, data)
        axes.set_ylabel("growth exponent of $R_t$" if index == 0 else "")
    names = growth.methods(*collected)
    entries = [(growth.LABELS.get(name, name), style.look(name)) for name in names]
    style.legend_below(figure, entries, columns=3, left=0.55, top=0.68)
    return figure


def _panel(axes: Axes, data: xr.Dataset) -> None:
    alphas = np.array(growth.alphas(data))
    fine = np.linspace(0, max(2.05, alphas.max() + 0.05), 200)
    names = growth.methods(data)
    exponents = {name: [growth.exponent(data, name, alpha) for alpha in alphas] for name in names}
    every = [value for row in exponents.values() for e in row for value in (e.mean, e.low, e.high)]
    top = max(1.25, np.nanmax(every) + 0.1)
    axes.axhspan(1, top, color="#f1f1f1", zorder=0)
    axes.text(
        fine[-1] - 0.03,
        top - 0.03,
        "upper bounds here are vacuous",
        ha="right",
        va="center",
        fontsize=6.5,
        color=style.SOFT_INK,
    )
    lower = np.minimum(1, (fine + 1) / 2)
    axes.plot(fine, lower, color=style.INK, linewidth=1.0, linestyle=style.DASHED, zorder=1)
    upper = (3 * fine + 1) / 2
    axes.plot(fine, upper, color=style.INK, linewidth=1.0, linestyle=style.DOTTED, zorder=1)
    axes.plot(
        [0, fine[-1]],
        [0.875, 0.875],
        color=style.look("w_sparq_gp_ucb").colour,
        linewidth=0.9,
        linestyle=style.DASH_DOT,
        zorder=1,
    )
    for index, name in enumerate(names):
        centre = np.array([e.mean for e in exponents[name]])
        ends = np.array([[e.mean - e.low, e.high - e.mean] for e in exponents[name]]).T
        look = style.look(name)
        x = alphas + 0.028 * (index - (len(names) - 1) / 2) / max(len(names) - 1, 1) * 2
        axes.errorbar(
            x,
            centre,
            yerr=np.abs(ends) if np.isfinite(ends).all() else None,
            elinewidth=0.8,
            zorder=3,
            **look.curve() | {"linewidth": 0.8},
            **look.point(),
        )
    axes.set_ylim(max(0.0, np.floor(10 * min(0.5, np.nanmin(every))) / 10), top)
    axes.set_xlim(0, fine[-1])
    axes.set_xlabel(r"drift exponent $\alpha$")
    axes.set_title(
        {"ageing": "Data that age", "drift": "Function that drifts"}.get(
            results.name(data), results.title(data)
        )
    )


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    beds = []
    for data in collected:
        rounds = int(data["round"].values[-1])
        beds.append(
            f"{results.title(data)}: {data.sizes['seed']} runs of {rounds} rounds, slope from"
            f" {rounds // growth.DECADE} to {rounds}"
        )
    return (
        "Growth exponent of cumulative regret (slope of log R_t on log t, R_t the mean over runs)"
        " against the drift exponent, on synthetic rewards. "
        + ". ".join(beds)
        + ". Bars are 95 % percentile bootstrap intervals over runs, left out with fewer than five"
        " runs; points of one alpha stand side by side. Black dashed: lower bound without queries,"
        " min(1, (alpha + 1)/2), for the"
        " worst function, where these are drawn at random."
        " Black dotted: upper bound for GP-UCB, (3 alpha + 1)/2 (Mauduit25b, Table 1). Blue"
        " dash-dotted: upper bound for W-SparQ-GP-UCB at alpha_tilde = 1/4, 0.875 (Table 2)."
        " TV-GP-UCB has the width of its paper, sqrt(0.8 log 4t), the others the information width."
        " Logarithms are left out of these exponents. Grey: exponents above 1 cannot be reached for"
        " long, because regret a round is bounded, so that an upper bound there says nothing."
    )
