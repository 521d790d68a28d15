"""As many panels as there are things to show, in rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.results import causes


def grid(
    count: int,
    columns: int,
    heights: tuple[float, float],
    title: str,
    xlabel: str = "",
    ylabel: str = "",
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure with its title, and `count` axes, at most so many in a row, the outer ones with labels.
    heights: in inches, of all but the rows and of a row; options: those of `style.panels`."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, panels = style.panels(heights[0] + heights[1] * rows, rows, columns, title, **options)
    for axes in panels.flat[count:]:
        axes.remove()
    for axes in panels[:, 0]:
        axes.set_ylabel(ylabel)
    shown = list(panels.flat[:count])
    for axes in shown[-columns:]:  # the lowest of each column
        axes.set_xlabel(xlabel)
        axes.tick_params(labelbottom=True)
    return figure, shown


def of_fields(names: Sequence[str], title: str, xlabel: str, ylabel: str) -> tuple[Figure, list[Axes]]:
    """A panel per real field, named after it."""
    figure, shown = grid(len(names), 4, (1.0, 1.75), title, xlabel, ylabel)
    for axes, name in zip(shown, names, strict=True):
        axes.set_title(causes.title(name), loc="left", fontsize=7)
    return figure, shown
