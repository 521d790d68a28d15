"""Maps of the squared prediction error, one panel per method, one colour scale (Mauduit25b Fig. 4).

Each cell shows the mean over rounds and runs of (mu_t - f_t)^2, mu_t the posterior mean that chose
the arm of round t. Sites on a regular grid are drawn as cells, with the outline of the covered
area; other sites as dots. Coast lines and coasts are those of `base/coast.py`.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tvgp.study import results
from tvgp.study.figures.base import coast, curves, grid
from tvgp.study.figures.base.palette import Colour

COLUMNS = 5  # at most


def draw(collected: xr.Dataset) -> Figure:
    """The figure."""
    part = _with_errors(collected)
    errors = part.squared_error.transpose("policy", "seed", "arm").mean("seed").values
    lat, lon = part["lat"].values, part["lon"].values
    step = _grid_step(lon), _grid_step(lat)
    norm = _norm(errors)
    columns = -(-len(errors) // -(-len(errors) // COLUMNS))  # rows of about the same length
    coasts = coast.lines()
    pad = [s / 2 if s else 0.03 * np.ptp(v) + 0.05 for s, v in zip(step, (lon, lat), strict=True)]
    west, east, south, north = lon.min() - pad[0], lon.max() + pad[0], lat.min() - pad[1], lat.max() + pad[1]
    aspect = 1 / np.cos(np.radians(lat.mean()))
    tall = 6.6 / max(columns, 2) * (north - south) * aspect / (east - west)
    heights, title = (1.0, tall + 0.25), results.title(part)
    figure, panels = grid.panels(len(errors), columns, heights, title, sharex=True, sharey=True)
    for axes, name, error in zip(panels, part.policy.values, errors, strict=True):
        axes.add_collection(
            LineCollection(coasts, colors=Colour.GREY_9A, linewidths=0.5, zorder=1), autolim=False
        )
        painted = _paint(axes, lon, lat, step, error, norm)
        if isinstance(painted, PolyCollection):  # grey lines would not show on every colour of a cell
            above = LineCollection(coasts, colors="white", linewidths=0.5, alpha=0.8, zorder=3)
            axes.add_collection(above, autolim=False)
            above.set_clip_path(Path.make_compound_path(*painted.get_paths()), axes.transData)
        axes.set(xlim=(west, east), ylim=(south, north), aspect=aspect)
        _graticule(axes)
        axes.set_title(results.label(part, str(name)).replace(" (", "\n("), fontsize=7.5, pad=3)
        axes.annotate(
            f"mean {np.nanmean(error):.3g}",
            (0.03, 0.03),
            xycoords="axes fraction",
            fontsize=6.5,
            bbox={"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 0.8},
            zorder=5,
        )
    bar = figure.colorbar(
        painted,
        ax=list(figure.axes),
        orientation="horizontal",
        extend="max" if np.nanmax(errors) > (norm.vmax or 0) else "neither",
        shrink=0.5,
        aspect=40,
        anchor=(0, 0),
    )
    bar.outline.set_linewidth(0.5)
    unit = results.unit_text(results.units(part))
    bar.set_label(f"mean squared prediction error{f' ({unit}²)' if unit else ''}")
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    part = _with_errors(collected)
    unit = results.unit_text(results.units(part))
    runs = part.sizes["seed"]
    return (
        f"{results.title(part)}: squared difference between posterior mean and truth, mean over"
        f" {part.sizes['round']} {results.round_label(part)}s and {runs}"
        f" {'run' if runs == 1 else 'runs'}{f', in {unit}²' if unit else ''}, on"
        f" {results.data_words(part)}. One panel per method, one colour scale for"
        " all, up to the largest error of a method that has at most twice the median error."
        " The number in a panel is its mean over all"
        " sites. Maps have no band; intervals of the regret are in the tables."
    )


def _with_errors(collected: xr.Dataset) -> xr.Dataset:
    """The published methods and added policies that have a model and so an error."""
    experiment = collected.attrs["experiment"]
    if not {"squared_error", "lat", "lon"} <= set(collected.variables):
        raise ValueError(f"{experiment}: squared_error, lat and lon are needed for error maps")
    part = results.at_alpha(collected)
    part = results.select(part, *curves.published(part))
    finite = np.isfinite(part.squared_error.transpose("policy", ...).values).any(axis=(1, 2))
    if not finite.any():
        raise ValueError(f"{experiment}: none of the published methods has a prediction error")
    return part.isel(policy=np.flatnonzero(finite))


def _norm(errors: np.ndarray) -> Normalize:
    """One linear colour scale for all panels, up to the largest error of a method that has at most twice the
    median error, so that one poor method does not make all others look alike."""
    means = np.nanmean(errors, axis=1)
    usual = errors[means <= 2 * np.nanmedian(means)]
    low, high = np.nanmin(errors), np.nanmax(usual)
    return Normalize(low, high) if high > low else Normalize(0, high or 1)


def _grid_step(values: np.ndarray) -> float | None:
    """Spacing of a regular axis, None where the sites are not on a grid."""
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
    """Cells with the outline of their union, or dots; returns them for the colour bar."""
    axes.set_facecolor(Colour.GREY_F3)
    across, up = step
    if across is None or up is None:
        return axes.scatter(
            lon, lat, c=values, norm=norm, s=26, edgecolors=Colour.GREY_40, linewidths=0.4, zorder=3
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
    axes.add_collection(LineCollection(border, colors=Colour.GREY_30, linewidths=0.6, zorder=4))
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


def _graticule(axes: Axes) -> None:
    """Meridians and parallels."""
    axes.grid(color=Colour.GREY_D0, linewidth=0.4)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color(Colour.GREY_B5)
    for axis, ends in ((axes.xaxis, "EW"), (axes.yaxis, "NS")):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda v, _, e=ends: _degrees(v, e)))
    axes.tick_params(labelsize=6.5, length=2)


def _degrees(value: float, ends: str) -> str:
    if abs(value) < 1e-9:
        return "0°"
    return f"{abs(value):g}°{ends[0] if value > 0 else ends[1]}"
