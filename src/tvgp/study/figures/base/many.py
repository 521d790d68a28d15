"""More step curves than can be told apart: the highest in their looks, all others in grey."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from tvgp.study.figures.base import style

NAMED = 8
OTHERS = style.Look(style.SOFT_INK, "-", "", width=0.6)


def draw(axes: Axes, curves: Mapping[str, tuple[np.ndarray, np.ndarray]], last: float) -> list[str]:
    """Draw share (n,) over x (n,), steps to the right, by variant in the order of their rank, up to x = last;
    the variants that have their looks."""
    named = list(curves)[:NAMED]
    for name in reversed(list(curves)):
        x, share = curves[name]
        look = style.look(name) if name in named else OTHERS
        axes.step([*x, last], [*share, share[-1]], where="post", **look.curve())
        if name in named:
            at = np.geomspace(max(x[0], 1.0), last, 6)[1:-1] * (1 + 0.02 * named.index(name))
            axes.plot(
                at,
                share[np.searchsorted(x, at, "right") - 1],
                linestyle="",
                color=look.colour,
                **look.point(),
            )
    return named


def legend_entries(named: list[str], others: int) -> list:
    """Entries of a legend for the curves of `draw`."""
    entries = [style.entry(name) for name in named]
    return [*entries, OTHERS.handle(f"{others} others")] if others else entries
