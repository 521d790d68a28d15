"""As many panels as there are things to show, in rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import style


def panels(
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
    figure, table = style.panels(heights[0] + heights[1] * rows, rows, columns, title, **options)
    for axes in table.flat[count:]:
        axes.remove()
    for axes in table[:, 0]:
        axes.set_ylabel(ylabel)
    shown = list(table.flat[:count])
    for axes in shown[-columns:]:  # the lowest of each column
        axes.set_xlabel(xlabel)
        axes.tick_params(labelbottom=True)
    return figure, shown


def titled(titles: Sequence[str], *layout: Any, **options: Any) -> tuple[Figure, list[Axes]]:
    """`panels`, one for each title."""
    figure, shown = panels(len(titles), *layout, **options)
    for axes, title in zip(shown, titles, strict=True):
        axes.set_title(title, fontsize=7)
    return figure, shown
