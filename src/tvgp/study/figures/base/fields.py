"""Figures of the analysis `price_on_fields`, a panel for each field."""

from __future__ import annotations

from collections.abc import Callable

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.study.figures.base import asking, grid
from tvgp.study.results import causes
from tvgp.study.results.price_on_fields import FieldCosts


def drawn(
    data: xr.Dataset,
    title: str,
    labels: tuple[str, str],
    panel: Callable[[Axes, FieldCosts, xr.Dataset], None],
    words: tuple[str, str],
) -> tuple[Figure, list[Line2D]]:
    """A figure of the analysis `price_on_fields`, a panel for each field, and the entries of its legend for
    fixed numbers, before the choice and after it in these words, and for rules."""
    names = [str(part) for part in data.part.values]
    figure, panels = grid.titled(list(map(causes.title, names)), 4, (1.2, 1.75), title, *labels)
    for axes, name in zip(panels, names, strict=True):
        panel(axes, FieldCosts(data, name), data)
    looks = [
        *zip(words, asking.FIXED.values(), strict=True),
        *(asking.RULES[each] for each in asking.played(data)),
    ]
    return figure, [look.handle(text) for text, look in looks]
