"""Cumulative regret and smoothed regret per step of pi-GP-UCB and IGP-UCB (Janz20, Fig. 1, there
for d = 2; `janz_times` has its third panel)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.claims.janz20 import DIMENSIONS, FRACTIONS
from tvgp.study.figures.base import style
from tvgp.study.results.statistics import half_width

ACROSS = True
METHODS = ("igp_ucb", "pi_gp_ucb")
SMOOTHING = 201  # rounds of the running mean


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a row for each d, a column for each quantity."""
    parts = _parts(collected)
    width, tall, gap, between, left, bottom = 2.8, 1.35, 0.5, 0.5, 0.6, 0.85
    figure = style.new_figure(bottom + len(parts) * tall + (len(parts) - 1) * between + 0.5)
    for row, (name, part) in enumerate(parts.items()):
        low = bottom + (len(parts) - 1 - row) * (tall + between)
        panels = [
            style.axes_at(figure, left + column * (width + gap), low, width, tall) for column in range(2)
        ]
        uniform = results.final_average(part, "uniform")[:, None]
        rounds = np.arange(1, part.sizes["round"] + 1)
        peak = 1.12 / 1.05
        for method in METHODS:
            if method not in part.policy.values:
                continue
            look = style.look(method)
            regret = part.regret.sel(policy=method).transpose("seed", "round").values / uniform
            _band(panels[0], rounds, np.cumsum(regret, axis=1) / len(rounds), look)
            if len(rounds) > SMOOTHING:
                smooth = _smooth(regret)
                _band(panels[1], rounds[SMOOTHING // 2 : -(SMOOTHING // 2)], smooth, look)
                peak = max(peak, smooth.mean(axis=0).max())
            panels[0].plot(
                rounds[-1],
                FRACTIONS[name, method],
                linestyle="",
                clip_on=False,
                marker=look.marker,
                markersize=5,
                markerfacecolor="white",
                markeredgecolor=look.colour,
                zorder=5,
            )
        for axes in panels:
            axes.set_xlim(0, rounds[-1])
            axes.xaxis.set_major_locator(MaxNLocator(2))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.set_ylim(0, 1.12)
            axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
            axes.axhline(1, color=style.SOFT_INK, linewidth=0.8, linestyle=style.DOTTED)
        panels[1].set_ylim(0, 1.05 * peak)
        panels[0].set_title(f"d = {DIMENSIONS[name]}: regret $R_t / R_T$ of uniform", fontsize=7.5)
        panels[1].set_title("regret per step, smoothed", fontsize=7.5)
        if row == len(parts) - 1:
            for axes in panels:
                axes.set_xlabel("round t")
    style.legend_below(
        figure,
        [("IGP-UCB", style.look("igp_ucb")), ("π-GP-UCB", style.look("pi_gp_ucb"))],
        2,
        left,
        0.3,
    )
    style.title_above(figure, "Functions in a Matérn RKHS (Janz20, Table 1 and Fig. 1)", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    parts = _parts(collected)
    runs = ", ".join(f"d = {DIMENSIONS[n]}: {p.sizes['seed']}" for n, p in parts.items())
    return (
        "Regret as a share of that of uniform play in the same run: cumulative (left; open markers"
        f" at the end are Table 1 of the paper) and per step, a running mean over {SMOOTHING}"
        f" rounds (right). Lines are means over runs ({runs}), bands 95 % intervals of the mean:"
        " functions differ much from run to run. The dotted line is uniform play."
    )


def _parts(collected: list[xr.Dataset]) -> dict[str, xr.Dataset]:
    by_name = {results.name(data): data for data in collected}
    parts = {name: results.at_alpha(by_name[name]) for name in DIMENSIONS if name in by_name}
    if not parts:
        raise ValueError("none of janz_d1, janz_d2, janz_d3 is among the results")
    return parts


def _band(axes: Axes, x: np.ndarray, values: np.ndarray, look: style.Look) -> None:
    mean, half = values.mean(axis=0), np.nan_to_num(half_width(values))
    keep = np.unique(np.linspace(0, len(x) - 1, 500).round().astype(int))
    axes.fill_between(
        x[keep], (mean - half)[keep], (mean + half)[keep], color=look.colour, alpha=0.18, linewidth=0
    )
    axes.plot(x[keep], mean[keep], **look.curve())


def _smooth(regret: np.ndarray) -> np.ndarray:
    total = np.cumsum(np.pad(regret, ((0, 0), (1, 0))), axis=1)
    return (total[:, SMOOTHING:] - total[:, :-SMOOTHING])[:, : regret.shape[1]] / SMOOTHING
