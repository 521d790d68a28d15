"""What figures of the regimes' test beds share."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import growth

BEDS = {"ageing": "data age", "drift": "drift"}
RANDOM = style.Look(Colour.GREY_9A, "-", "", width=0.9)
_TICKS = [digit * 10.0**power for power in range(-4, 2) for digit in (1, 2, 5)]


def shown_alphas(data: xr.Dataset) -> list[float]:
    """At most three drift exponents: a slow one, 1, the fastest."""
    alphas = growth.alphas(data)
    if len(alphas) <= 3:
        return alphas
    targets = (0.25, 1.0, alphas[-1])
    return sorted({alphas[int(np.argmin(np.abs(np.array(alphas) - a)))] for a in targets})


def plain_ticks(axes: Axes) -> None:
    """1, 2 and 5 of each decade of a logarithmic axis, in plain numbers."""
    axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
