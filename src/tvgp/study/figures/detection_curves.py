"""Changes found soon against false alarms, a curve over thresholds for each policy that restarts."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import curves, style
from tvgp.study.results.detection import by_clock

TITLES = {"sign": "change of sign", "draws": "four new draws"}
CLOCK = style.Look(style.SOFT_INK, style.DASHED, "", width=1.0)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a panel per kind of change."""
    (data,) = collected
    changes = [change for change in data.change.values.tolist() if change != "none"]
    title = "Which policies tell a change from none?"
    figure, (row,) = style.panels(3.2, 1, len(changes), title, sharey=True)
    rounds, within = int(data.rounds.max()), int(data.within.max())
    parts = data.part.values.tolist()
    for axes, change in zip(row, changes, strict=True):
        clock = np.linspace(0.0, rounds, 2001)
        axes.plot(clock, by_clock(clock, within, rounds), **CLOCK.curve())
        for part in parts:
            one = data.sel(part=part).dropna("threshold", how="all", subset=["found"])
            false = one.false_alarms.sel(change="none").mean("seed").values
            found = one.found.sel(change=change).transpose("seed", "threshold").values
            look = style.look(part)
            axes.errorbar(false, found.mean(axis=0), yerr=curves.bars(found), elinewidth=0.8, **look.marked())
        axes.set_xscale("symlog", linthresh=0.1)
        axes.set(xlim=(-0.02, rounds / 5), ylim=(-0.03, 1.03))
        axes.set_xlabel(f"false alarms per {rounds} rounds without a change")
        axes.set_title(TITLES.get(change, change))
    row[0].set_ylabel(f"share found within {within} rounds")
    style.legend(
        figure, [*(style.entry(part) for part in parts), CLOCK.handle("restarts by the clock (R-PERP)")], 3
    )
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        f"Share of the changes with a detection less than {int(data.within.max())} rounds after them, against"
        " the mean number of detections in runs in which nothing changes, over the thresholds of each"
        f" policy; {data.sizes['seed']} runs of {int(data.rounds.max())} rounds each, synthetic draws from a"
        f" squared exponential. Vertical lines: {curves.bands_text(data.sizes['seed'])}. Dashed: restarts at"
        " equal distances, whatever is observed. A policy on this line learns nothing from its tests;"
        " further to the upper left is better."
    )
