"""Points of the figures on lower bounds: one colour per query schedule, one marker per alpha."""

from __future__ import annotations

from typing import Any

import xarray as xr
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour

SCHEDULES = {
    "even": ("evenly spaced", Colour.BLUE),
    "bursts": ("ten bursts", Colour.VERMILION),
    "w_sparq": ("W-SparQ's times", Colour.GREEN),
}
MARKERS = ("o", "s", "^", "D", "v")
LINES: tuple[LineStyleType, ...] = ("-", style.DASHED, style.DOTTED)


def point(schedule: str, index: int, **options: Any) -> dict[str, Any]:
    """Keyword arguments of `Axes.plot` for a schedule and the index of an alpha."""
    _, colour = SCHEDULES.get(schedule, (schedule, style.INK))
    marker = MARKERS[index % len(MARKERS)]
    return {"linestyle": "", "marker": marker, "color": colour, "markeredgewidth": 0} | options


def entries(data: xr.Dataset, bounds: bool = False) -> list[Line2D]:
    """Entries of the legend; with `bounds`, each alpha has the line of its bound."""
    handles = [
        Line2D([], [], label=SCHEDULES.get(name, (name,))[0], **point(name, 0))
        for name in map(str, data.part.values)
    ]
    for index, alpha in enumerate(data.alpha.values):
        line = LINES[index % len(LINES)] if bounds else ""
        options = point("", index, color=style.SOFT_INK, linestyle=line, linewidth=0.8)
        handles.append(Line2D([], [], label=f"$α = {alpha:g}${', bound' if bounds else ''}", **options))
    return handles
