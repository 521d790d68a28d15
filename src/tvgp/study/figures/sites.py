"""The data before any method: where the sites are, which of them are best, for how long values last."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from tvgp.fitting import lag_correlations
from tvgp.study import results
from tvgp.study.figures import readings
from tvgp.study.figures.base import coast, curves, style
from tvgp.study.figures.base.palette import Colour

LAGS = 30  # rounds
PAIRS = 20  # pairs of values that a lag needs
NAMED = 5  # sites
ROOM = (0.2, 0.06)  # of the width and the height, for a name
GAPS = 0.2  # share of the rounds without a value that marks a site
_BESIDE: dict[str, Any] = {"fontsize": 6.5, "xytext": (4, 3), "textcoords": "offset points"}
LAYOUT = {"width_ratios": (1.35, 1)}


def draw(collected: xr.Dataset) -> Figure:
    """The figure: a map of the sites, or their means where they have no positions; the correlation by lag."""
    value = readings.values(collected)
    figure, panels = style.panels(3.5, 1, 2, results.title(collected), gridspec_kw=LAYOUT)
    left, right = panels[0]
    share = best_share(value)
    x, y = (_map if _placed(collected) else _means)(left, collected, value, share)
    _lags(right, collected, value)
    figure.draw_without_rendering()  # a map's limits, and so its tick labels, follow from its shape
    _name(left, collected, x, y, share)
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    value, names = readings.values(collected), collected.site.values
    share, gaps = best_share(value), np.isnan(value).mean(axis=0)
    word, extreme = results.round_label(collected), readings.measured(collected)[1]
    ranked = ", ".join(f"{names[i]} ({share[i]:.0%})" for i in _named(share))
    left = (
        "a map of the sites: colour for the mean, area for the share of"
        if _placed(collected)
        else "the mean of each site and the share of"
    )
    return (
        f"{results.title(collected)}: left, {left} the {word}s in which the site has the {extreme} reading;"
        f" most often {ranked}. {(share > 0).sum()} of {len(share)} sites have it at least once;"
        f" {(gaps > GAPS).sum()} lack more than {GAPS:.0%} of their values (red rings on a map). Right, the"
        f" correlation of a site's reading with its own so many {word}s before, and the same of its"
        " difference from the mean of all sites, which is what a choice among sites depends on. On"
        f" {results.data_words(collected)}; these are the data themselves, so there is no band."
    )


def best_share(value: np.ndarray) -> np.ndarray:
    """Share of the rounds with a value in which each site has the largest one, (sites,).

    value (rounds, sites), NaN where missing; of equal values the first site counts.
    """
    seen = value[np.isfinite(value).any(axis=1)]
    return np.bincount(np.nanargmax(seen, axis=1), minlength=value.shape[1]) / max(len(seen), 1)


def _map(
    axes: Axes, collected: xr.Dataset, value: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The sites where they are; x and y (sites,)."""
    y, x, stretch, names = collected["lat"].values, collected["lon"].values, 1.0, ("x", "y")
    if _in_degrees(collected):
        x, stretch = _unwrapped(x), 1 / np.cos(np.radians(y.mean()))
        names = ("longitude (°E)", "latitude (°N)")
        coasts = LineCollection(coast.lines(), colors=Colour.GREY_9A, linewidths=0.5, zorder=1)
        axes.add_collection(coasts, autolim=False)
        axes.xaxis.set_major_formatter(_degrees_east)
    places = x, y
    gaps, sizes = np.isnan(value).mean(axis=0) > GAPS, 10 + 700 * share
    level = readings.measured(collected)[0] * np.nanmean(value, axis=0)
    order = np.argsort(-sizes, kind="stable")  # small dots above large ones
    x, y, sizes, level, gaps = (values[order] for values in (x, y, sizes, level, gaps))
    dots = axes.scatter(x, y, s=sizes, c=level, cmap="viridis", linewidth=0.4, edgecolor="white", zorder=2)
    axes.scatter(x[gaps], y[gaps], s=sizes[gaps] + 40, facecolor="none", edgecolor=style.WARNING, zorder=3)
    axes.margins(0.12)
    axes.set_aspect(stretch, adjustable="datalim")
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.set(xlabel=names[0], ylabel=names[1])
    bar = axes.figure.colorbar(dots, ax=axes, location="top", shrink=0.7, aspect=30)
    bar.outline.set_linewidth(0.5)
    bar.locator = MaxNLocator(5)
    bar.set_label(curves.with_units("mean of the site", collected))
    return places


def _means(
    axes: Axes, collected: xr.Dataset, value: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The sites by their means, where they have no positions; x and y (sites,)."""
    sign, word = readings.measured(collected)
    level = sign * np.nanmean(value, axis=0)
    axes.scatter(level, share, s=18, color=Colour.BLUE, linewidth=0)
    axes.margins(0.12)
    axes.set_xlabel(curves.with_units("mean of the site", collected))
    axes.set_ylabel(f"rounds in which it is the {word}")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    return level, share


def _name(axes: Axes, collected: xr.Dataset, x: np.ndarray, y: np.ndarray, share: np.ndarray) -> None:
    """Names beside the sites that are most often the best, where there is room."""
    named: list[int] = []
    place = axes.transAxes.inverted().transform(axes.transData.transform(np.column_stack([x, y])))
    for i in _named(share):
        if not (np.abs(place[named] - place[i]) < ROOM).all(axis=1).any():
            axes.annotate(str(collected.site.values[i]), (x[i], y[i]), zorder=4, **_BESIDE)
            named.append(i)


def _lags(axes: Axes, collected: xr.Dataset, value: np.ndarray) -> None:
    lags = np.arange(1, LAGS + 1)
    apart = value - np.nanmean(value, axis=1, keepdims=True)
    for shown, look, label in (
        (value, style.Look(Colour.STEEL, "--", ""), "reading"),
        (apart, style.Look(Colour.BLUE, "-", "", width=1.6), "less the mean of all sites"),
    ):
        found = lag_correlations(shown, results.elapsed(collected), LAGS, PAIRS)
        axes.plot(lags, found, label=label, **look.curve())
    axes.axhline(0, color=Colour.GREY_9A, linewidth=0.6)
    axes.set_xlim(0, LAGS)
    axes.set_ylim(min(0, axes.get_ylim()[0]), 1)
    axes.set_xlabel(f"lag ({results.round_label(collected)}s)")
    axes.set_ylabel("correlation with itself")
    axes.legend(loc="upper right")


def _named(share: np.ndarray) -> np.ndarray:
    """The sites that are most often the best."""
    order = np.argsort(-share, kind="stable")[:NAMED]
    return order[share[order] > 0]


def _unwrapped(lon: np.ndarray) -> np.ndarray:
    """Longitudes without a jump where the sites lie across 0 or 180 degrees."""
    middle = np.angle(np.exp(1j * np.radians(lon)).sum(), deg=True)
    return middle + (lon - middle + 180) % 360 - 180


def _degrees_east(lon: float, _: float) -> str:
    """A longitude from -180 to 180, with a minus sign."""
    return f"{(lon + 180) % 360 - 180:g}".replace("-", "−")


def _placed(collected: xr.Dataset) -> bool:
    """Whether the sites have positions."""
    return {"lat", "lon"} <= set(collected.variables) and bool(np.isfinite(collected["lat"].values).all())


def _in_degrees(collected: xr.Dataset) -> bool:
    """Whether the positions are latitudes and longitudes, of which the arms are a map in km."""
    plane = np.column_stack([collected["lon"].values, collected["lat"].values])
    return not np.array_equal(plane, collected["arms"].values)
