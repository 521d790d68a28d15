"""What every site reads, round by round, and which of them reads most (Bogunovic16, Fig. 3b)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import curves, style


def applies(collected: xr.Dataset) -> bool:
    """Only results on data hold readings."""
    return "reading" in collected.variables


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure: all sites above, the site with the largest reading below."""
    readings, best = _readings(collected)
    rounds = np.arange(1, len(readings) + 1)
    left, width = 0.62, style.WIDTH - 0.72
    figure = style.new_figure(4.0)
    above = style.axes_at(figure, left, 1.62, width, 2.05)
    above.plot(rounds, readings, color="#9aa5ad", linewidth=0.45, alpha=0.8)
    above.plot(rounds, np.nanmax(readings, axis=1), color=style.INK, linewidth=1.4)
    above.set_xlim(1, len(rounds))
    above.tick_params(labelbottom=False)
    above.set_ylabel(curves.with_units("reading", collected))
    above.set_title(results.title(collected))
    below = style.axes_at(figure, left, 0.45, width, 1.0)
    below.plot(rounds, best + 1, linestyle="", marker="|", markersize=5, color=style.INK)
    below.set_xlim(1, len(rounds))
    below.set_ylim(0, readings.shape[1] + 1)
    below.set_ylabel("best site")
    below.set_xlabel(f"{results.round_label(collected)} t")
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    readings, best = _readings(collected)
    times = collected["time"].values
    changes = int((np.diff(best) != 0).sum())
    return (
        f"{results.title(collected)}: above, the readings of all {readings.shape[1]} sites from"
        f" {times[0]} to {times[-1]} (thin) and their maximum (bold); below, which site, in the"
        f" order of the file, reads most: {len(set(best.tolist()))} different sites, {changes}"
        f" changes in {len(best)} {results.round_label(collected)}s. On"
        f" {results.data_words(collected)}; these are the data themselves, so there is no band."
    )


def _readings(collected: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    if not applies(collected):
        raise ValueError(f"{results.name(collected)}: reading is missing; only data have readings")
    readings = collected["reading"].transpose("round", "arm").values
    return readings, np.nanargmax(readings, axis=1)
