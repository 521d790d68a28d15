"""Regret over drift exponent and query exponent: growth and late regret, with published curves."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.study.results import growth
from tvgp.theory import bounds

ACROSS = True
ALPHA_TILDE = 0.25  # of the published curve for W-SparQ-GP-UCB

TITLES = {
    "windows": "Answers replace all data (W-SparQ)",
    "everything": "Nothing is dropped, true variances",
}


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    (data,) = collected
    procedures = list(map(str, data.part.values))
    figure = style.new_figure(5.35)
    rows = [
        ("growth exponent of $R_T$", _grid(data, _exponent), (0.5, 1.05)),
        ("late regret a round / random play", _grid(data, _late), (0.0, 1.0)),
    ]
    for row, (label, values, (low, high)) in enumerate(rows):
        bottom = 2.98 - 2.5 * row
        low, high = (
            min(low, np.nanmin(list(values.values()))),
            max(high, np.nanmax(list(values.values()))),
        )
        for column, procedure in enumerate(procedures):
            axes = style.axes_at(figure, 0.55 + 3.0 * column, bottom, 2.65, 2.05)
            mesh = _panel(axes, data, values[procedure], low, high)
            axes.set_title(TITLES.get(procedure, procedure) if row == 0 else "")
            if row == 1:
                axes.set_xlabel(r"drift exponent $\alpha$")
            if column == 0:
                axes.set_ylabel("query exponent $p$,  $N_T = T^p$")
        bar = style.axes_at(figure, 0.55 + 3.0 * len(procedures), bottom, 0.12, 2.05)
        figure.colorbar(mesh, cax=bar).set_label(label)
    return figure


def _exponent(data: xr.Dataset, procedure: str, alpha: float, p: float) -> float:
    return growth.cell_exponent(data, procedure, alpha, p).mean


def _late(data: xr.Dataset, procedure: str, alpha: float, p: float) -> float:
    cell = data.sel(part=procedure, alpha=alpha, query_exponent=p).isel(horizon=-1)
    return float(cell.late_regret.mean() / cell.random_play.mean())


def _grid(data: xr.Dataset, measure: Callable[..., float]) -> dict[str, np.ndarray]:
    """(query exponents, alphas) for each procedure."""
    return {
        procedure: np.array(
            [
                [measure(data, procedure, alpha, p) for alpha in data.alpha.values]
                for p in data.query_exponent.values
            ]
        )
        for procedure in map(str, data.part.values)
    }


def _edges(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Borders half way between values."""
    middle = (values[1:] + values[:-1]) / 2
    return np.concatenate([[low], middle, [high]])


def _panel(axes: Axes, data: xr.Dataset, values: np.ndarray, low: float, high: float) -> QuadMesh:
    alphas, p = data.alpha.values, data.query_exponent.values
    right = max(2.15, alphas[-1] + 0.15)
    x = _edges(alphas, max(0.0, alphas[0] - (alphas[1] - alphas[0]) / 2), right)
    y = _edges(p, -0.05, 1.05)
    mesh = axes.pcolormesh(x, y, values, vmin=low, vmax=high, rasterized=False)
    # from the cell's own colour, for numbers that can be read
    colours = matplotlib.colormaps["cividis"]((values - low) / (high - low))
    for i, j in np.ndindex(values.shape):
        if x[j + 1] - x[j] < 0.155:
            continue
        dark = style.luminance(tuple(colours[i, j])) < 0.35
        axes.text(
            (x[j] + x[j + 1]) / 2,
            (y[i] + y[i + 1]) / 2,
            f"{values[i, j]:.2f}",
            zorder=6,
            fontsize=5.2,
            color="white" if dark else "black",
            ha="center",
            va="center",
            path_effects=[withStroke(linewidth=1.6, foreground=colours[i, j])],
        )
    fine = np.linspace(0.02, right, 200)
    axes.plot(fine, bounds.query_threshold(fine), color="white", linewidth=2.6)
    axes.plot(fine, bounds.query_threshold(fine), color="#c51b1b", linewidth=1.2)
    enough = bounds.w_sparq_query_exponent(fine, ALPHA_TILDE)
    axes.plot(fine, enough, color="white", linewidth=2.6)
    axes.plot(fine, enough, color="#c51b1b", linewidth=1.2, linestyle=style.DASHED)
    axes.set_xlim(x[0], right)
    axes.set_ylim(-0.05, 1.05)
    axes.grid(visible=False)
    return mesh


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    (data,) = collected
    horizons = ", ".join(f"{t:g}" for t in data.horizon.values)
    return (
        "Data that age, synthetic rewards: regret over the drift exponent and the number of expert"
        f" queries N_T = T^p, evenly spaced, arms chosen by a k-DPP; {data.sizes['seed']} runs for"
        f" each of T = {horizons}. Top: slope of log R_T on log T over these horizons, R_T the mean"
        " over runs. Bottom: regret a round in the last tenth of the longest run, over that of"
        " uniformly random play. Left: the answers replace all data, as in W-SparQ-GP-UCB; right:"
        " all data are kept and weighted by their true variances, the most that such a posterior"
        " can make of them. Red line: p = alpha/(alpha + 1), below which Theorem 5.3 of Mauduit25b"
        " has linear regret for alpha > 1. Red dashes: p = 1 - alpha_tilde/alpha with alpha_tilde ="
        f" {ALPHA_TILDE:g}, above which its Theorem 3.10 has sublinear regret. Above the line and"
        " below the dashes the paper leaves the question open, and for alpha > 1 everywhere above"
        " the line. Where fewer arms were played than may be asked about, fewer were asked."
    )
