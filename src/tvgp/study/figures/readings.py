"""Readings of every site by round, and the site with the best one (Bogunovic16, Fig. 3b)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour

SITE = style.Look(Colour.STEEL, "-", "", width=0.8)
BEST = style.Look(style.INK, "-", "", width=1.4)
HOLE = 0.01  # of the record


def draw(collected: xr.Dataset) -> Figure:
    """The figure: all sites above, the site with the largest reading below."""
    rewards, best = _with_best(collected)
    sign, word = measured(collected)
    readings, extreme = sign * rewards, sign * np.nanmax(rewards, axis=1)
    times = np.array(collected["time"].values, dtype="datetime64[m]")
    ratios = {"height_ratios": (2, 1)}
    figure, panels = style.panels(4.0, 2, 1, results.title(collected), sharex=True, gridspec_kw=ratios)
    above, below = panels[:, 0]
    holes = _holes(results.elapsed(collected))
    shown = np.insert(times, holes, times[holes - 1])  # no line across years without a reading
    above.plot(
        shown, np.insert(readings, holes, np.nan, axis=0), color=SITE.colour, linewidth=0.45, alpha=0.8
    )
    above.plot(shown, np.insert(extreme, holes, np.nan), **BEST.curve())
    above.set_ylabel(curves.with_units("reading", collected))
    below.plot(times, best + 1, linestyle="", marker="|", markersize=5, color=style.INK)
    margin = (times[-1] - times[0]) / 100
    below.set_xlim(times[0] - margin, times[-1] + margin)
    below.xaxis.set_major_formatter(ConciseDateFormatter(AutoDateLocator()))
    below.set(ylim=(-1, readings.shape[1] + 2), ylabel="best site", xlabel="time of the reading")
    style.legend(figure, [SITE.handle("each site"), BEST.handle(f"{word} reading")], 2)
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    readings, best = _with_best(collected)
    times = collected["time"].values
    changes = int((np.diff(best) != 0).sum())
    return (
        f"{results.title(collected)}: above, the readings of all {readings.shape[1]} sites from"
        f" {times[0]} to {times[-1]} (thin) and the {measured(collected)[1]} (bold); below, the site that has"
        f" it, numbered in the order of their names: {len(set(best.tolist()))} different sites, {changes}"
        f" changes in {len(best)} {results.round_label(collected)}s. On"
        f" {results.data_words(collected)}; these are the data themselves, so there is no band."
    )


def measured(collected: xr.Dataset) -> tuple[float, str]:
    """The sign that turns `values` into what was measured, and which reading is best: largest or smallest."""
    sign = results.sign(collected["reading"].attrs)
    return sign, "smallest" if sign < 0.0 else "largest"


def values(collected: xr.Dataset) -> np.ndarray:
    """Rewards of the rounds played, (rounds, sites), NaN where missing: the readings, or minus them where
    small is best. ValueError without any."""
    if "reading" not in collected.variables:
        raise ValueError(f"{results.name(collected)}: reading is missing; only data have readings")
    return collected["reading"].transpose("round", "arm").values


def _holes(t: np.ndarray) -> np.ndarray:
    """The rounds after a hole that would show, a hundredth of the record and longer than its least gap."""
    gaps = np.diff(t)
    return 1 + np.flatnonzero(gaps > max(gaps.min(initial=t[-1]), HOLE * t[-1]))


def _with_best(collected: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    readings = values(collected)
    return readings, np.nanargmax(readings, axis=1)
