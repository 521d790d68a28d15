"""Average regret against the noise of the expert's answers."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.results.statistics import half_width


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a curve per part, means over runs with intervals."""
    data = collected[0]
    figure, ((axes,),) = style.panels(2.6, title="What noise in the expert's answers costs")
    names = [str(name) for name in data.part.values]
    for name in names:
        look, values = style.look(name), data.regret.sel(part=name).transpose("seed", "ratio").values
        mean, half = values.mean(axis=0), half_width(values)
        axes.errorbar(data.ratio, mean, half, **look.marked())
    axes.set(xscale="log", ylim=(0, None))
    style.x_ticks(axes, data.ratio.values)
    axes.set(xlabel="variance of an answer over that of an observation", ylabel="average regret")
    style.legend(figure, [style.entry(name) for name in names], 2)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        "Average regret on the functions of Mauduit25b, Fig. 2, at the constant width 2, against the noise"
        f" of the expert's answers, which the policies know. Means over {data.sizes['seed']} runs, bars 95 %"
        " confidence intervals of the mean (Student $t$). The axis of variances is logarithmic."
    )
