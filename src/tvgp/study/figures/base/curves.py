"""Means over runs with their bands, the variants shown, and their descriptions in captions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.papers.bogunovic16 import READINGS
from tvgp.study.results.statistics import half_width

REFERENCES = ("uniform", "best_fixed_arm", "preference_order", "yesterdays_best", "oracle")
MARKS = 6  # per curve
POINTS = 500  # of a thinned curve
FEW = 6  # with fewer runs an interval of the mean is many times wider than what it is about


def published(part: xr.Dataset) -> list[str]:
    """The published methods and policies that a user added (those without a look of their own)."""
    names = results.variants(part, "published")
    return names + [n for n in results.variants(part) if n not in names and not style.known(n)]


def chosen(part: xr.Dataset, variants: Sequence[str] | None = None) -> xr.Dataset:
    """The named variants; by default `published` and the main references."""
    if variants is None:
        variants = [*published(part), *REFERENCES]
    present = results.select(part, *dict.fromkeys(variants))
    if present.sizes["policy"] == 0:
        raise ValueError(f"{part.attrs['experiment']}: none of the variants asked for was run")
    return present


def band_text(part: xr.Dataset) -> str:
    """Meaning of line and band, for captions."""
    text = runs_text(part.sizes["seed"])
    if part.sizes["seed"] > 1 and any(name in REFERENCES for name in results.variants(part)):
        text += " References are drawn without a band."
    if part.sizes["seed"] > 1 and part.attrs["data"] != "synthetic":
        first = "the site played first and " if part.attrs.get("sampled") == "runs" else ""
        text += (
            f" The data are a single record: runs differ only in {first}the policies' own random choices,"
            " so the bands say nothing about other years or places."
        )
    return text


def runs_text(runs: int) -> str:
    """Meaning of lines and bands over a number of runs."""
    if runs == 1:
        return "Lines show a single run, so there is no band."
    return f"Lines are means over {runs} runs; {bands_text(runs)}."


def bands_text(*runs: int) -> str:
    """Meaning of the bands of `draw_mean` over these numbers of runs."""
    interval, extremes = (
        "95 % confidence intervals of the mean (Student $t$)",
        "from the lowest to the highest run",
    )
    if max(runs) < FEW:
        return f"bands are {extremes}"
    if min(runs) >= FEW:
        return f"bands are {interval}"
    return f"bands are {interval}, with fewer than {FEW} runs {extremes}"


def sizes(parts: Iterable[xr.Dataset], dimension: str) -> str:
    """The different sizes of a dimension, for captions."""
    return ", ".join(map(str, sorted({part.sizes[dimension] for part in parts})))


def band(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the interval of the mean over runs of values (runs, ...), or with fewer
    than `FEW` runs the extremes."""
    if len(values) < FEW:
        return values.min(axis=0), values.max(axis=0)
    mean, half = values.mean(axis=0), half_width(values)
    return mean - half, mean + half


def bars(values: np.ndarray) -> np.ndarray:
    """Lengths below and above the mean over runs of `band`, (2, ...), as `Axes.errorbar` takes them."""
    low, high = band(values)
    mean = values.mean(axis=0)
    return np.stack([mean - low, high - mean])


def draw_mean(
    axes: Axes,
    x: np.ndarray,
    values: np.ndarray,
    look: style.Look,
    extremes: bool = False,
    least: float = -np.inf,
    thin: bool = False,
    **options: Any,
) -> np.ndarray:
    """Draw the mean over runs of values (runs, n) with the band of its interval, cut at `least`, or,
    with `extremes` or a `FEW` runs, of the lowest and highest run. Returns the mean.

    `thin`: draw POINTS evenly spaced rounds, for long curves on a linear axis.
    """
    mean = values.mean(axis=0)
    low, high = (values.min(axis=0), values.max(axis=0)) if extremes else band(values)
    keep = np.arange(len(x))
    if thin and len(x) > POINTS:
        keep = np.unique(np.linspace(0, len(x) - 1, POINTS).round().astype(int))
    if len(values) > 1 and (high > low).any():
        low = np.maximum(low, least)
        axes.fill_between(
            x[keep], low[keep], high[keep], color=look.colour, alpha=0.15, linewidth=0, zorder=2
        )
    axes.plot(x[keep], mean[keep], **{"zorder": 3} | look.marked() | options)
    return mean


def plot_band(
    axes: Axes, x: np.ndarray, values: np.ndarray, name: str, index: int, count: int, band: bool = True
) -> float:
    """Draw variant `name`, curve `index` of `count`: the mean over runs of values (seed, round), with
    its band unless `band` is false; returns the last mean.

    The markers of different curves have different x, so that overlapping curves can be told apart. The
    references' bands would hide those of the methods and are not drawn.
    """
    look = style.look(name)
    marks = stagger(len(x), index, count)
    if axes.get_xscale() == "log":
        at = np.geomspace(max(x[0], 1), x[-1], 7)[:-1] * (x[-1] ** (1 / 7)) ** (index / count)
        marks = np.unique(np.searchsorted(x, at).clip(0, len(x) - 1)).tolist()
    mean = values.mean(axis=0)
    runs = values if band and name not in REFERENCES else mean[np.newaxis]
    draw_mean(axes, x, runs, look, zorder=3 + (look.width > 1.5), markevery=marks)
    return float(mean[-1])


def plot_reading(axes: Axes, x: float, part: xr.Dataset, name: str) -> None:
    """An open marker at the value that a paper's figure shows for variant `name` at x, if one was read."""
    value = READINGS.get((results.name(part), name))
    if value is not None:
        options = {"linestyle": "", "markersize": 6, "clip_on": False, "zorder": 5}
        axes.plot(x, value, **replace(style.look(name), filled=False).point() | options)


def stagger(length: int, index: int, count: int) -> list[int]:
    """Positions of the markers on curve `index` of `count`, different from those of the others."""
    positions = (np.arange(MARKS) + (index + 1) / (count + 1)) / MARKS * (length - 1)
    return np.unique(positions.round().astype(int)).tolist()


def with_units(text: str, part: xr.Dataset) -> str:
    """An axis label with the units of regret, if it has any."""
    unit = results.unit_text(results.units(part))
    return f"{text} ({unit})" if unit else text
