"""CPU time per step of pi-GP-UCB and IGP-UCB (Janz20, Fig. 1, there for d = 2)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from tvgp.study.figures.base import style
from tvgp.study.papers.janz20 import DIMENSIONS, LABELS
from tvgp.study.results import janz20

FIRST = 6  # earlier steps include the set-up
COARSER = 3  # joins so many of the intervals that were timed


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per d."""
    data = collected[0]
    title = str(data.attrs["title"])
    figure, panels = style.panels(2.9, 1, len(DIMENSIONS), title, sharex=True, sharey=True)
    for axes, d in zip(panels[0], DIMENSIONS.values(), strict=True):
        for variant in LABELS:
            selected = janz20.seconds(data, variant, d)
            if selected is None:
                continue
            steps, seconds = selected.step.values, selected.values.mean(axis=0)
            last = steps[-1]
            every = slice(0, None, COARSER)  # lazy maxima cost much in some rounds and little in others
            steps, seconds = steps[every], seconds[every]
            per_step = 1000 * np.diff(seconds) / np.diff(steps)
            look = style.look(variant)
            middle = np.sqrt(steps[1:] * steps[:-1])
            settled = middle > FIRST
            axes.plot(middle[settled], per_step[settled], **look.curve())
            if last < data.step.values[-1]:
                axes.annotate(
                    f"timed to\nt = {last:,}",
                    (middle[-1], per_step[-1]),
                    (5, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=6.5,
                    color=style.SOFT_INK,
                )
        axes.set(xscale="log", yscale="log", xlim=(FIRST, data.step.values[-1]))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set(title=f"$d = {d}$", xlabel="round $t$")
    panels[0, 0].set_ylabel("CPU time per step (ms)")
    style.legend(figure, [style.look(v).bare().handle(label) for v, label in LABELS.items()], 2)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    runs = collected[0].sizes["seed"]
    return (
        "CPU time of a choice and an observation on one core, without the first steps' set-up,"
        f" means over {runs} {'run' if runs == 1 else 'runs'}, between rounds equally spaced in"
        r" $\log t$. A curve that ends early was timed to fewer rounds. Measured, so it differs from run to"
        " run; no band."
    )
