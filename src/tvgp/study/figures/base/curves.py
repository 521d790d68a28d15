"""What the figures over rounds share: a mean with its band, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.results.statistics import half_width

PUBLISHED = (
    "gp_ucb",
    "r_gp_ucb",
    "sw_gp_ucb",
    "tv_gp_ucb",
    "w_gp_ucb",
    "sparq_gp_ucb",
    "w_sparq_gp_ucb",
)
REFERENCES = ("uniform", "best_fixed_arm", "yesterdays_best", "oracle")
MARKS = 6  # per curve


def chosen(part: xr.Dataset, variants: Sequence[str] | None) -> xr.Dataset:
    """The named variants; by default the papers' seven methods, policies that a user added (those
    the style does not know by name), and the key references."""
    if variants is None:
        added = [name for name in results.variants(part) if not style.known(name)]
        variants = [*PUBLISHED, *added, *REFERENCES]
    there = results.select(part, *dict.fromkeys(variants))
    if there.sizes["policy"] == 0:
        raise ValueError(f"{part.attrs['experiment']}: none of the variants asked for is there")
    return there


def band_words(part: xr.Dataset) -> str:
    """What line and band mean, for captions."""
    runs = part.sizes["seed"]
    if runs == 1:
        return "Lines show a single run, so there is no band."
    text = f"Lines are means over {runs} runs; bands are 95 % confidence intervals of the mean (Student t)."
    if part.attrs["data"] != "synthetic":
        text += (
            " The data are one record: runs differ only in the policies' own random choices,"
            " so the bands say nothing about other years or places."
        )
    return text


def sizes(parts: Iterable[xr.Dataset], dimension: str) -> str:
    """The different sizes of a dimension, for captions."""
    return ", ".join(map(str, sorted({part.sizes[dimension] for part in parts})))


def plot_band(
    axes: Axes, x: np.ndarray, values: np.ndarray, name: str, index: int, count: int, band: bool = True
) -> float:
    """Draw the mean over runs of values (seed, round), with its band unless `band` is false;
    returns the last mean.

    Markers sit at staggered places, so that curves on top of each other stay apart.
    """
    look = style.look(name)
    mean, half = values.mean(axis=0), half_width(values)
    order = 3 + (look.width > 1.5)
    if band and np.isfinite(half).all() and half.any():
        axes.fill_between(x, mean - half, mean + half, color=look.colour, alpha=0.15, linewidth=0, zorder=2)
    marks = stagger(len(x), index, count)
    if axes.get_xscale() == "log":
        at = np.geomspace(max(x[0], 1), x[-1], 7)[:-1] * (x[-1] ** (1 / 7)) ** (index / count)
        marks = np.unique(np.searchsorted(x, at).clip(0, len(x) - 1)).tolist()
    axes.plot(x, mean, zorder=order, markevery=marks, **look.curve(), **look.point())
    return float(mean[-1])


def stagger(length: int, index: int, count: int) -> list[int]:
    """Positions of the markers on curve `index` of `count`, different from those of the others."""
    positions = (np.arange(MARKS) + (index + 0.5) / count) / MARKS * (length - 1)
    return np.unique(positions.round().astype(int)).tolist()


def with_units(text: str, part: xr.Dataset) -> str:
    """An axis label with the units of regret, if it has any."""
    unit = style.unit_text(results.units(part))
    return f"{text} ({unit})" if unit else text
