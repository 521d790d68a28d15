"""Regret against readings per round on one record, before the choice and after it, beside doing without.

The variants are those of `tvgp.study.results.readings`.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look
from tvgp.study.results import advice, readings

LINEAR = 8  # readings up to which the axis is linear
TICKS = (0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_CURVES = {
    "before": Look(Colour.MAGENTA, "-", "o", width=1.6),
    "after": Look(Colour.MAGENTA, style.DASHED, "o", filled=False),
}
_PANDORA = Look(Colour.VERMILION, "", "D")
_PUBLISHED = Look(Colour.GREEN, "", "^", filled=False)
_ALL = Look(Colour.BLACK, "", "*")
_RULE = Look(Colour.GREY, "-", "")


def draw(collected: xr.Dataset) -> Figure:
    """The figure."""
    part = results.at_alpha(collected)
    figure, ((axes,),) = style.panels(3.6, title=results.title(part))
    handles = [_curve(axes, part, moment, look) for moment, look in _CURVES.items()]
    for names, look, label in _points(part):
        for name in names:
            axes.plot(readings.per_round(part, name), _mean(part, name), linestyle="", **look.point())
        handles.append(look.handle(label))
    if advice.RULE in part.policy.values:
        axes.axhline(_mean(part, advice.RULE), **_RULE.curve())
        handles.append(_RULE.handle("best site of training, no reading"))
    axes.set_ylim(bottom=0)
    axes.set_xscale("symlog", linthresh=LINEAR, linscale=1.5)  # few readings and all of them on one axis
    last = axes.get_xlim()[1]
    shown = [number for number in (range(LINEAR) if last < LINEAR else TICKS) if number <= last]
    style.x_ticks(axes, shown)
    axes.set_xlim(-0.4, last)
    axes.set_xlabel(f"readings per {results.round_label(part)}, beside the choice itself")
    axes.set_ylabel(curves.with_units("average regret", part))
    style.legend(figure, handles, 2)
    return figure


def _curve(axes: Axes, part: xr.Dataset, moment: str, look: Look) -> Line2D:
    fixed = readings.fixed(part, after=moment == "after")
    found = [results.average(part, name) for name in fixed.values()]
    numbers = [readings.per_round(part, name) for name in fixed.values()]
    axes.plot(numbers, [each.mean for each in found], **look.marked())
    axes.fill_between(
        numbers, [each.low for each in found], [each.high for each in found], color=look.colour, alpha=0.12
    )
    if knee := readings.knee({n: each.mean for n, each in zip(fixed, found, strict=True)}):
        place = list(fixed).index(knee)
        axes.annotate(
            f"knee: {knee}", (numbers[place], found[place].mean), xytext=(6, 8), textcoords="offset points"
        )
    return look.handle(f"read {moment} the choice")


def _points(part: xr.Dataset) -> list[tuple[list[str], Look, str]]:
    """Further variants that read, with their look and label."""
    names = results.variants(part)
    index = [name for name in names if readings.price(name) or readings.budget(name)]
    published = [
        name for name in results.variants(part, "published") if results.total_queries(part, name).any()
    ]
    every = [name for name in names if name == "yesterdays_best"]
    found = [
        (index, _PANDORA, "Pandora's index, before"),
        (published, _PUBLISHED, ", ".join(results.label(part, name) for name in published) + ", after"),
        (every, _ALL, "yesterday's best: every site, after"),
    ]
    return [each for each in found if each[0]]


def _mean(part: xr.Dataset, name: str) -> float:
    return float(np.mean(results.final_average(part, name)))


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    part = results.at_alpha(collected)
    return (
        f"{results.title(part)}, {results.data_words(part)}. Average regret of the choice against the"
        f" number of other sites read in the same {results.round_label(part)}, before the choice or after"
        f" it, when they serve the next one (logarithmic beyond {LINEAR}); bands are 95 % intervals over"
        f" {results.sample_words(part)}. The knee is where the curve lies farthest below the line between its"
        " ends: further readings save less than those before. The curves and the index play under the"
        " model of Field-GP-UCB, fitted to the training part."
    )
