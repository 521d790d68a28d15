"""Regret over drift exponent and query exponent: growth and late regret, with published curves."""

from __future__ import annotations

from dataclasses import dataclass

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import growth
from tvgp.theory import bounds

ALPHA_TILDE = 0.25  # of the published curve for W-SparQ-GP-UCB

CURVES = {
    "$p = α/(α+1)$ (Theorem 5.3)": style.Look(Colour.RED, "-", ""),
    r"$p = 1-\tilde α/α$ (Theorem 3.10)": style.Look(Colour.RED, style.DASHED, ""),
}
LINEAR = {f"exponent {1 - growth.TOLERANCE:g}": style.Look(Colour.BLACK, "-", "", width=1.0)}
TITLES = {
    "windows": "Answers replace all data (W-SparQ)",
    "everything": "Nothing is dropped, true variances",
}


@dataclass(frozen=True)
class Parameters:
    """width: the constant, in std, of the parts drawn; None: those at the methods' own widths."""

    width: float | None = None


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: growth exponent above, late regret below, a column for each procedure."""
    (data,) = collected
    titles = {
        part: TITLES.get(procedure, procedure)
        for part in map(str, data.part.values)
        if part == growth.at_width(procedure := part.partition("_at_")[0], parameters.width)
    }
    if not titles:
        raise ValueError(
            f"{results.name(data)}: no part{_at_width(parameters)}; it has {list(data.part.values)}"
        )
    data = data.sel(part=list(titles))
    rows = (
        ("growth exponent of $R_T$", {part: _exponents(data, part) for part in titles}, (0.5, 1.05)),
        ("late regret per round / random play", {part: _late(data, part) for part in titles}, (0.0, 1.0)),
    )
    title = f"Regret by drift exponent and number of queries{_at_width(parameters)}"
    figure, panels = style.panels(5.6, 2, len(titles), title, sharex=True, sharey=True)
    for row, (label, values, (low, high)) in zip(panels, rows, strict=True):
        low = min(low, np.nanmin(list(values.values())))
        high = max(high, np.nanmax(list(values.values())))
        for axes, procedure in zip(row, titles, strict=True):
            mesh = _panel(axes, data, values[procedure], low, high)
        figure.colorbar(mesh, ax=row, aspect=16, pad=0.02).set_label(label)
        row[0].set_ylabel("query exponent $p$,  $N_T = T^p$")
    for axes, procedure in zip(panels[0], titles, strict=True):
        _border(axes, data, rows[0][1][procedure])
        axes.set_title(titles[procedure])
    for axes in panels[-1]:
        axes.set_xlabel("drift exponent $α$")
    panels[0, 0].set_yticks(data.query_exponent.values)
    alphas = data.alpha.values
    panels[0, 0].set_xticks(alphas, style.tick_labels(alphas, 0.2))
    style.legend(figure, [look.handle(text) for text, look in (CURVES | LINEAR).items()], 3)
    return figure


def _at_width(parameters: Parameters) -> str:
    return "" if parameters.width is None else f", confidence width {parameters.width:g}"


def _exponents(data: xr.Dataset, procedure: str) -> np.ndarray:
    """(query exponents, alphas)."""
    return np.array(
        [
            [growth.cell_exponent(data, procedure, alpha, p).mean for alpha in data.alpha.values]
            for p in data.query_exponent.values
        ]
    )


def _late(data: xr.Dataset, procedure: str) -> np.ndarray:
    """(query exponents, alphas)."""
    longest = data.sel(part=procedure).isel(horizon=-1)
    shares = (longest.late_regret / longest.random_play).mean("seed")
    return shares.transpose("query_exponent", "alpha").values


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
    # numbers in black or white, whichever contrasts more with the cell
    colours = matplotlib.colormaps["cividis"]((values - low) / (high - low))
    for i, j in np.ndindex(values.shape):
        if x[j + 1] - x[j] < 0.155:
            continue
        dark = style.luminance(tuple(colours[i, j])) < 0.18
        axes.text(
            x[j : j + 2].mean(),
            y[i : i + 2].mean(),
            f"{values[i, j]:.2f}",
            zorder=6,
            fontsize=5.2,
            color="white" if dark else "black",
            ha="center",
            va="center",
            path_effects=[withStroke(linewidth=1.6, foreground=colours[i, j])],  # the curves pass behind
        )
    fine = np.linspace(0.02, right, 200)
    published = bounds.query_threshold(fine), bounds.w_sparq_query_exponent(fine, ALPHA_TILDE)
    for exponent, look in zip(published, CURVES.values(), strict=True):
        axes.plot(fine, exponent, color="white", linewidth=2.6)
        axes.plot(fine, exponent, **look.curve())
    axes.set(xlim=(x[0], right), ylim=(-0.05, 1.05))
    axes.grid(visible=False)
    return mesh


def _border(axes: Axes, data: xr.Dataset, values: np.ndarray) -> None:
    """Draw where the growth exponent passes from sublinear to linear, if it does."""
    (look,), level = LINEAR.values(), 1 - growth.TOLERANCE
    places = data.alpha.values, data.query_exponent.values
    if min(values.shape) > 1 and np.nanmin(values) < level < np.nanmax(values):
        axes.contour(*places, values, [level], colors=[look.colour], linewidths=look.width)


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    (data,) = collected
    horizons = ", ".join(f"{t:g}" for t in data.horizon.values)
    return (
        "Fixed objective with ageing observations (eq. 8), synthetic rewards:"
        " regret over the drift exponent and the number of expert"
        f" queries $N_T = T^p$, evenly spaced, arms chosen by a k-DPP{_at_width(parameters)};"
        rf" {data.sizes['seed']} runs for each of $T = {horizons}$."
        r" Top: slope of $\log R_T$ on $\log T$ over these horizons, $R_T$ the mean"
        f" over runs; black: where it is {1 - growth.TOLERANCE:g}, linear within our slack. Bottom: regret"
        " per round in the last tenth of the longest run, over that of"
        " uniformly random play. Left: the answers replace all data, as in W-SparQ-GP-UCB; right:"
        " all data are kept and weighted by their true variances, the best use of them by such a"
        " posterior. Red line: $p = α/(α + 1)$, below which Theorem 5.3 of Mauduit25b"
        r" has linear regret for $α > 1$. Red dashes: $p = 1 - \tilde α/α$ with $\tilde α ="
        f" {ALPHA_TILDE:g}$, above which its Theorem 3.10 has sublinear regret. Above the line and"
        " below the dashes the paper leaves the question open, and for $α > 1$ everywhere above"
        " the line. If fewer arms were played than may be asked about, there are fewer queries."
    )
