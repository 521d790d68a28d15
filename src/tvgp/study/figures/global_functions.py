"""Cumulative regret of pi-GP-UCB and IGP-UCB on global optimisation (Janz20, Fig. 2)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.results.statistics import half_width

ACROSS = True
METHODS = ("igp_ucb", "pi_gp_ucb")
COLUMNS = 3


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a panel for each function."""
    parts = [results.at_alpha(data) for data in results.experiments(collected)]
    if not parts:
        raise ValueError("no functions of global optimisation among the results")
    columns = min(COLUMNS, len(parts))
    rows = -(-len(parts) // columns)
    width, tall, gap, between, left, bottom = 1.75, 1.5, 0.45, 0.5, 0.62, 0.85
    figure = style.new_figure(bottom + rows * tall + (rows - 1) * between + 0.5)
    for position, part in enumerate(parts):
        row, column = divmod(position, columns)
        axes = style.axes_at(
            figure, left + column * (width + gap), bottom + (rows - 1 - row) * (tall + between), width, tall
        )
        rounds = np.arange(1, part.sizes["round"] + 1)
        keep = np.unique(np.linspace(0, len(rounds) - 1, 500).round().astype(int))
        top = 0.0
        for method in METHODS:
            if method not in part.policy.values:
                continue
            look = style.look(method)
            regret = part.regret.sel(policy=method).transpose("seed", "round").values
            total = np.cumsum(regret, axis=1)
            mean, half = total.mean(axis=0), np.nan_to_num(half_width(total))
            axes.fill_between(
                rounds[keep],
                (mean - half)[keep],
                (mean + half)[keep],
                color=look.colour,
                alpha=0.18,
                linewidth=0,
            )
            axes.plot(rounds[keep], mean[keep], **look.curve())
            top = max(top, float((mean + half)[-1]))
        axes.set_xlim(0, rounds[-1])
        axes.xaxis.set_major_locator(MaxNLocator(2))
        axes.set_ylim(0, 1.12 * top)
        axes.set_title(results.title(part).partition(" (")[0], fontsize=8)
        if column == 0:
            axes.set_ylabel("cumulative regret  $R_t$")
        if position + columns >= len(parts):
            axes.set_xlabel("round t")
    style.legend_below(
        figure,
        [("IGP-UCB", style.look("igp_ucb")), ("π-GP-UCB", style.look("pi_gp_ucb"))],
        2,
        left,
        0.3,
    )
    style.title_above(figure, "Functions of global optimisation (Janz20, Fig. 2)", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    parts = [results.at_alpha(data) for data in results.experiments(collected)]
    runs = curves.sizes(parts, "seed")
    uniform = {
        results.title(part).partition(" (")[0]: results.final_average(part, "uniform").mean()
        for part in parts
        if "uniform" in part.policy.values
    }
    shares = "; ".join(f"{name} {value:.2f}" for name, value in uniform.items())
    return (
        "Cumulative regret on two-dimensional functions scaled to [-1, 1], noise uniform on"
        f" [-0.1, 0.1], B = 1. Lines are means over {runs} runs, bands 95 % intervals of the mean."
        " The paper names none of its four functions; its author's code has these five."
        + (f" Average regret of uniform play, not drawn: {shares}." if shares else "")
    )
