"""Average regret at the end of the run for every variant, sorted within its group.

The published methods are compared with their tuned variants and with controls that spend the same
number of evaluations: otherwise a method could gain from its number of queries alone.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results.statistics import half_width

GROUP_TITLES = {
    "published": "Published, recommended settings",
    "tuned": "Tuned on training seeds",
    "control": "Controls and references",
}
ROW = 0.2  # inches
HEAD = 0.3
LABELS, PLOT = 3.1, 2.55  # widths in inches


def draw(collected: xr.Dataset) -> Figure:
    """The figure."""
    part = results.at_alpha(collected)
    groups = {group: names for group in GROUP_TITLES if (names := results.variants(part, group))}
    rows = sum(len(names) for names in groups.values())
    plot_height = rows * ROW + len(groups) * HEAD
    figure = style.new_figure(plot_height + 0.95)
    axes = style.axes_at(figure, LABELS + 0.15, 0.5, PLOT, plot_height)
    final = results.average_regret(part)[:, :, -1]
    spent = results.evaluations(part)[:, :, -1].mean(axis=1) / part.sizes["round"]
    index = {name: i for i, name in enumerate(results.variants(part))}
    regret_places, spent_places = _places(final.mean(axis=1)), _places(spent)
    best = results.best_published(part)
    axes.set_ylim(plot_height, 0)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    own = (results.joined(part, results.final_average(part, name)) for name in index)
    halves = np.nan_to_num([half_width(values) for values in own])
    left, right = _limits(final.mean(axis=1), halves)
    top = 0.0
    for group, names in groups.items():
        _row_text(axes, -LABELS, top + HEAD * 0.68, GROUP_TITLES[group], bold=True)
        top += HEAD
        for name in sorted(names, key=lambda n: (final[index[n]].mean(), n)):
            y = top + ROW / 2
            look = style.look(name)
            mean, half = final[index[name]].mean(), halves[index[name]]
            axes.plot([left, mean], [y, y], color=Colour.GREY_DE, linewidth=0.7, zorder=1)
            axes.plot(
                [mean - half, mean + half],
                [y, y],
                color=look.colour,
                linewidth=2.2,
                solid_capstyle="butt",
                alpha=0.55,
                zorder=2,
            )
            marker = look.point() if mean >= left else look.point() | {"marker": style.OFF_SCALE}
            axes.plot([max(mean, left)], [y], linestyle="", zorder=3, clip_on=False, **marker)
            _row_text(axes, 0.1 - LABELS, y, results.label(part, name), bold=name == best)
            _row_text(axes, PLOT + 0.62, y, f"{mean:.{regret_places}f}", right=True)
            _row_text(axes, PLOT + 1.3, y, f"{spent[index[name]]:.{spent_places}f}", right=True)
            top += ROW
    axes.set_xlim(left, right)
    if best is not None:
        value = final[index[best]].mean()
        axes.axvline(value, color=Colour.GREY_7F, linewidth=0.8, linestyle=style.DASHED, zorder=0.5)
    axes.set_xlabel(curves.with_units(f"average regret after {part.sizes['round']} {_plural(part)}", part))
    _row_text(axes, PLOT + 0.62, -0.02, "regret", right=True, soft=True)
    _row_text(axes, PLOT + 1.3, -0.02, "evaluations\nper " + results.round_label(part), right=True, soft=True)
    axes.set_title(results.title(part), x=-LABELS / PLOT, pad=14)
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    part = results.at_alpha(collected)
    runs = part.sizes["seed"]
    band = (
        f"Markers are means over {runs} runs; bars behind them are 95 % confidence intervals of"
        f" the mean (Student $t$ over {results.sample_words(part)}), often narrower than the marker."
        if runs > 1 or "block" in part.attrs
        else "Markers are single runs, so there are no intervals."
    )
    return (
        f"{results.title(part)}: average regret at the last round for every variant, on"
        f" {results.data_words(part)}, sorted within each group. {band} The dashed line is the"
        " best published method (in bold); an arrow at the left edge is a mean beyond it. The last column"
        " counts plays and expert queries"
        " together: only variants with similar counts have the same effort. The oracle, the"
        " best fixed arm and the preference order know the future."
    )


def _limits(means: np.ndarray, halves: np.ndarray) -> tuple[float, float]:
    """Ends of the axis, around all intervals: from 0, but where the means other than 0 share the axis' upper
    half, from below them."""
    high = float((means + halves).max()) or 1.0
    others = means > 0
    low = float((means - halves)[others].min(initial=high))
    start = low if others.any() and means[others].min() > 0.5 * means.max() else 0.0
    margin = 0.04 * ((high - start) or high)
    return start - margin if start else 0.0, high + margin


def _places(values: np.ndarray) -> int:
    """Decimal places of a column whose largest value has three significant digits."""
    largest = np.abs(values).max()
    return max(0, 2 - int(np.floor(np.log10(largest)))) if largest > 0 else 0


def _plural(part: xr.Dataset) -> str:
    label = results.round_label(part)
    return label if part.sizes["round"] == 1 else f"{label}s"


def _row_text(
    axes: Axes,
    inches: float,
    y: float,
    text: str,
    bold: bool = False,
    right: bool = False,
    soft: bool = False,
) -> None:
    """Text at a horizontal distance in inches from the left edge of the axes, at data height y."""
    width = style.inches(axes)[0]
    axes.text(
        inches / width,
        y,
        text,
        transform=axes.get_yaxis_transform(),
        clip_on=False,
        ha="right" if right else "left",
        va="bottom" if soft else "center_baseline",
        fontsize=6.5 if soft else 7.5,
        fontweight="bold" if bold else "normal",
        color=style.SOFT_INK if soft else style.INK,
        linespacing=1.0,
    )
