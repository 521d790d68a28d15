"""Maps of the squared prediction error, one panel a method, one colour scale (Mauduit25b Fig. 4).

Each cell shows the mean over rounds and runs of (mu_t - f_t)^2, mu_t the posterior mean that chose
the arm of round t. Places on a regular grid are drawn as their cells, with the outline of the
covered area; other places as dots.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import curves, style

COLUMNS = 4


def applies(collected: xr.Dataset) -> bool:
    """Only results on places, with their prediction errors, make maps."""
    return {"squared_error", "lat", "lon"} <= set(collected.variables)


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure."""
    part = _with_errors(collected)
    errors = part.squared_error.transpose("policy", "seed", "arm").mean("seed").values
    lat, lon = part["lat"].values, part["lon"].values
    step = _grid_step(lon), _grid_step(lat)
    norm = _norm(errors)
    count = len(errors)
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    pad = [s / 2 if s else 0.03 * np.ptp(v) + 0.05 for s, v in zip(step, (lon, lat), strict=True)]
    box = (lon.min() - pad[0], lon.max() + pad[0], lat.min() - pad[1], lat.max() + pad[1])
    panel = (style.WIDTH - 0.5 - 0.12 * (columns - 1) - 0.1) / max(columns, 2)
    aspect = 1 / np.cos(np.radians(lat.mean()))
    tall = panel * (box[3] - box[2]) * aspect / (box[1] - box[0])
    bottom, between = 0.95, 0.42
    height = bottom + rows * tall + (rows - 1) * between + 0.55
    figure = style.new_figure(height)
    order = np.arange(count)
    for position, index in enumerate(order):
        row, column = divmod(position, columns)
        axes = style.axes_at(
            figure,
            0.5 + column * (panel + 0.12),
            bottom + (rows - 1 - row) * (tall + between),
            panel,
            tall,
        )
        painted = _paint(axes, lon, lat, step, errors[index], norm)
        axes.set_xlim(box[:2])
        axes.set_ylim(box[2:])
        _graticule(axes, column == 0, position + columns >= count)
        name = str(part.policy.values[index])
        axes.set_title(results.label(part, name), fontsize=7.5, pad=3)
        axes.text(
            1,
            1.02,
            f"mean {np.nanmean(errors[index]):.3g}",
            transform=axes.transAxes,
            ha="right",
            va="bottom",
            fontsize=6.5,
            color=style.SOFT_INK,
        )
    bar = style.axes_at(figure, 0.5, 0.45, 3.4, 0.1)
    colours = figure.colorbar(painted, cax=bar, orientation="horizontal", extend="both")
    colours.outline.set_linewidth(0.5)
    unit = style.unit_text(results.units(part))
    squared = f" ({unit}²)" if unit else ""
    bar.set_xlabel(f"mean squared prediction error{squared}")
    style.title_above(figure, results.title(part), 0.5)
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    part = _with_errors(collected)
    unit = style.unit_text(results.units(part))
    runs = part.sizes["seed"]
    return (
        f"{results.title(part)}: squared difference between posterior mean and truth, mean over"
        f" {part.sizes['round']} {results.round_label(part)}s and {runs}"
        f" {'run' if runs == 1 else 'runs'}{f', in {unit}²' if unit else ''}, on"
        f" {results.data_words(part)}. One panel a method, one colour scale for all, from the 1st"
        " to the 99th percentile of all cells. The number above a panel is its mean over all"
        " places. Maps have no band; intervals of the regret are in the tables."
    )


def _with_errors(collected: xr.Dataset) -> xr.Dataset:
    """The papers' methods and added ones that have a model and so an error."""
    experiment = collected.attrs["experiment"]
    if not applies(collected):
        raise ValueError(f"{experiment}: squared_error, lat and lon are needed for error maps")
    part = results.at_alpha(collected)
    added = [name for name in results.variants(part) if name not in style.LOOKS]
    part = results.select(part, *curves.PUBLISHED, *added)
    finite = np.isfinite(part.squared_error.transpose("policy", ...).values).any(axis=(1, 2))
    if not finite.any():
        raise ValueError(f"{experiment}: none of the published methods has a prediction error")
    return part.isel(policy=np.flatnonzero(finite))


def _norm(errors: np.ndarray) -> Normalize:
    """One colour scale for all panels; logarithmic where methods differ by more than 20."""
    finite = errors[np.isfinite(errors)]
    low, high = np.quantile(finite, [0.01, 0.99])
    if low > 0 and high / low > 20:
        return LogNorm(low, high)
    return Normalize(low, high) if high > low else Normalize(0, high or 1)


def _grid_step(values: np.ndarray) -> float | None:
    """Spacing of a regular axis, None where the places are not on a grid."""
    levels = np.unique(values.round(6))
    if len(levels) < 2:
        return None
    gaps = np.diff(levels)
    step = gaps.min()
    whole = np.abs(gaps / step - (gaps / step).round()).max() < 1e-3
    return float(step) if whole and step > 0.02 and len(levels) < len(values) else None


def _paint(
    axes: Axes,
    lon: np.ndarray,
    lat: np.ndarray,
    step: tuple[float | None, float | None],
    values: np.ndarray,
    norm: Normalize,
) -> Collection:
    """Cells with the outline of their union, or dots; returns what a colour bar needs."""
    axes.set_facecolor("#f3f3f3")
    across, up = step
    if across is None or up is None:
        return axes.scatter(
            lon, lat, c=values, norm=norm, s=26, edgecolors="#404040", linewidths=0.4, zorder=3
        )
    half = np.array([across, up]) / 2
    centres = np.stack([lon, lat], axis=1)
    turn = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    cells = PolyCollection(
        list(centres[:, None, :] + turn),
        array=values,
        norm=norm,
        edgecolors="face",
        linewidths=0.2,
        zorder=2,
    )
    axes.add_collection(cells)
    border = _outline(lon, lat, (across, up))
    axes.add_collection(LineCollection(border, colors="#303030", linewidths=0.6, zorder=4))
    return cells


def _outline(lon: np.ndarray, lat: np.ndarray, step: tuple[float, float]) -> list:
    """Edges that belong to one cell only: the border of the covered area."""
    column = ((lon - lon.min()) / step[0]).round().astype(int)
    row = ((lat - lat.min()) / step[1]).round().astype(int)
    covered = set(zip(column.tolist(), row.tolist(), strict=True))
    lines = []
    for i, j in sorted(covered):
        x, y = lon.min() + i * step[0], lat.min() + j * step[1]
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if (i + di, j + dj) not in covered:
                middle = np.array([x + di * step[0] / 2, y + dj * step[1] / 2])
                along = np.array([dj * step[0] / 2, di * step[1] / 2])
                lines.append([middle - along, middle + along])
    return lines


def _graticule(axes: Axes, left: bool, bottom: bool) -> None:
    """Meridians and parallels, named on the outer panels only."""
    axes.grid(color="#d0d0d0", linewidth=0.4)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color("#b5b5b5")
    for axis, ends in ((axes.xaxis, "EW"), (axes.yaxis, "NS")):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda v, _, e=ends: _degrees(v, e)))
    axes.tick_params(labelleft=left, labelbottom=bottom, labelsize=6.5, length=2)


def _degrees(value: float, ends: str) -> str:
    if abs(value) < 1e-9:
        return "0°"
    return f"{abs(value):g}°{ends[0] if value > 0 else ends[1]}"
