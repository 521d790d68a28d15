"""More step curves than can be told apart: the highest in their looks, all others in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study.figures.base import style

NAMED = 8
OTHERS = style.Look(style.SOFT_INK, "-", "", width=0.6)


def figure(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]],
    last: float,
    ticks: Sequence[float],
    labels: tuple[str, str],
) -> Figure:
    """One panel of shares (n,) over x (n,) from 1 to last on a log scale, steps to the right, by variant in
    the order of their rank.

    ticks: those above `last` are left out; labels: of the axes.
    """
    made, [[axes]] = style.panels(3.6, 1, 1)
    named = _draw(axes, curves, last)
    axes.set(xscale="log", xlim=(1.0, last), ylim=(0.0, 1.02))
    style.x_ticks(axes, [tick for tick in ticks if tick <= last], ",")
    axes.set(xlabel=labels[0], ylabel=labels[1])
    entries = [style.entry(name) for name in named]
    if others := len(curves) - len(named):
        entries.append(OTHERS.handle(f"{others} others"))
    style.legend(made, entries, 3)
    return made


def _draw(axes: Axes, curves: Mapping[str, tuple[np.ndarray, np.ndarray]], last: float) -> list[str]:
    """Draw the curves up to x = last; the variants that have their looks."""
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
