"""Cumulative regret of pi-GP-UCB and IGP-UCB on global optimisation (Janz20, Fig. 2)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tvgp.study import results
from tvgp.study.figures.base import curves, grid, style
from tvgp.study.papers.janz20 import LABELS


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per function."""
    parts = [results.at_alpha(data) for data in results.experiments(collected)]
    if not parts:
        raise ValueError("no functions of global optimisation among the results")
    title = "Functions of global optimisation (Janz20, Fig. 2)"
    figure, panels = grid.panels(len(parts), 3, (0.9, 2.0), title, ylabel="cumulative regret  $R_t$")
    for axes, part in zip(panels, parts, strict=True):
        rounds = np.arange(1, part.sizes["round"] + 1)
        for method in LABELS:
            if method in part.policy.values:
                values = results.cumulative_regret(results.select(part, method))[0]
                curves.draw_mean(axes, rounds, values, style.look(method).bare(), least=0.0, thin=True)
        axes.set_xlim(0, rounds[-1])
        axes.xaxis.set_major_locator(MaxNLocator(2))
        axes.set(ylim=(0, None), title=results.title(part).partition(" (")[0], xlabel="round $t$")
    style.legend(figure, [style.look(m).bare().handle(label) for m, label in LABELS.items()], 2)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    parts = [results.at_alpha(data) for data in results.experiments(collected)]
    runs = curves.sizes(parts, "seed")
    bands = curves.bands_text(*(part.sizes["seed"] for part in parts))
    uniform = {
        results.title(part).partition(" (")[0]: results.final_average(part, "uniform").mean()
        for part in parts
        if "uniform" in part.policy.values
    }
    shares = "; ".join(f"{name} {value:.2f}" for name, value in uniform.items())
    return (
        "Cumulative regret on two-dimensional functions scaled to [-1, 1], noise uniform on"
        f" [-0.1, 0.1], $B = 1$. Lines are means over {runs} runs, {bands}."
        " The paper names none of its four functions, so that its values have no place here; its author's"
        " code has these five." + (f" Average regret of uniform play, not drawn: {shares}." if shares else "")
    )
