"""A panel per real field, four in a row."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.results import causes

COLUMNS = 4


def field_panels(names: Sequence[str], title: str, xlabel: str, ylabel: str) -> tuple[Figure, list[Axes]]:
    """A figure with its title, and the axes of each field, named after it; outer ones have labels."""
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    figure, panels = style.panels(1.0 + 1.75 * rows, rows, columns, title=title)
    for axes, name in zip(panels.flat, names, strict=False):
        axes.set_title(causes.title(name), loc="left", fontsize=7)
    for axes in panels.flat[len(names) :]:
        axes.remove()
    for row in panels:
        row[0].set_ylabel(ylabel)
    for axes in panels.flat[len(names) - columns : len(names)]:  # the lowest of each column
        axes.set_xlabel(xlabel)
    return figure, list(panels.flat[: len(names)])
