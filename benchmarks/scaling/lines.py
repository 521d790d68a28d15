"""Style of a scaling plot: logarithmic axes, one line per contender, labelled at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter

from tvgp.study.figures.base import style


def draw(
    rows: Sequence[Mapping], looks: Mapping[str, style.Look], x: str, y: str, title: str, note: str = ""
) -> Figure:
    """Milliseconds against size, in the look of each line; `note` stands in the panel."""
    figure = style.new_figure(3.1)
    names = 0.6 + 0.066 * max(len(row["line"]) for row in rows)  # inches beside the panel
    axes = style.axes_at(figure, 0.62, 0.5, style.WIDTH - 0.62 - names, 2.3)
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends = []
    for line in dict.fromkeys(row["line"] for row in rows):
        points = sorted((row["size"], row["seconds"]) for row in rows if row["line"] == line)
        sizes, seconds = zip(*points, strict=True)
        look = looks[line]
        values = [1e3 * s for s in seconds]
        axes.plot(sizes, values, **look.curve(), **look.point())
        ends.append((values[-1], line, look))
    axes.set_xlim(min(r["size"] for r in rows) / 1.15, max(r["size"] for r in rows) * 1.15)
    measured = sorted({row["size"] for row in rows})
    axes.set_xticks(measured, [f"{size:,}" for size in measured])
    axes.xaxis.set_minor_locator(NullLocator())
    spread = max(r["seconds"] for r in rows) / min(r["seconds"] for r in rows)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if spread < 100 else (1,)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    axes.text(0.98, 0.96, note, transform=axes.transAxes, ha="right", va="top", fontsize=7)
    style.label_ends(axes, ends)
    return figure
