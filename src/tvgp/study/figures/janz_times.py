"""CPU time per step of pi-GP-UCB and IGP-UCB (Janz20, Fig. 1, there for d = 2)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.claims.janz20 import DIMENSIONS
from tvgp.study.figures.base import style
from tvgp.study.tables.janz_times import part

ACROSS = True


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a panel for each d."""
    data = collected[0]
    width, tall, gap, left, bottom = 1.95, 1.9, 0.3, 0.6, 0.75
    figure = style.new_figure(bottom + tall + 0.5)
    for column, d in enumerate(DIMENSIONS.values()):
        axes = style.axes_at(figure, left + column * (width + gap), bottom, width, tall)
        for variant in ("igp_ucb", "pi_gp_ucb"):
            if part(variant, d) not in data.part.values:
                continue
            selected = data.seconds.sel(part=part(variant, d)).dropna("step")
            steps, seconds = selected.step.values, selected.transpose("seed", "step").values.mean(axis=0)
            per_step = 1000 * np.diff(seconds) / np.diff(steps)
            # the first steps hold the set-up
            axes.plot(np.sqrt(steps[1:] * steps[:-1])[5:], per_step[5:], **style.look(variant).curve())
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(5, data.step.values[-1])
        axes.set_ylim(0.005, 100)
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_title(f"d = {d}")
        axes.set_xlabel("round t")
        axes.tick_params(labelleft=column == 0)
        if column == 0:
            axes.set_ylabel("CPU time per step (ms)")
    style.legend_below(
        figure,
        [("IGP-UCB", style.look("igp_ucb")), ("π-GP-UCB", style.look("pi_gp_ucb"))],
        2,
        left,
        0.25,
    )
    style.title_above(figure, str(data.attrs["title"]), left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    runs = collected[0].sizes["seed"]
    return (
        "CPU time of a choice and an observation on one core, without the first steps' set-up,"
        f" means over {runs} {'run' if runs == 1 else 'runs'}, between rounds equally spaced in"
        " log t. Measured anew each time, so never the same twice; no band."
    )
