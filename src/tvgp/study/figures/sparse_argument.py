"""KL divergence and variance ratio of the sparse posterior over rounds, beside what the
propositions claim (Mauduit25b, Propositions 3.2 and 3.4)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.theory.divergence import ETA

SPARSE = style.Look(Colour.VERMILION, "-", "P")
VARIATIONAL = style.Look(Colour.BLUE, style.DASHED, "o", filled=False)
TRACE = style.Look(Colour.GREY, style.DOTTED, "")
DIVERGENCES = {"divergence": SPARSE, "variational_divergence": VARIATIONAL, "trace": TRACE}
RATIOS = {
    "ratio_median": SPARSE,
    "variational_ratio_median": VARIATIONAL,
}
TITLES = {"played": "inputs and sets of a SparQ run", "uniform": "uniform inputs, greedy sets"}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: divergence above, variance ratio below, a column for each part."""
    data = collected[0]
    title = "Does a posterior from few observations stand in for all?"
    figure, panels = style.panels(4.9, 2, data.sizes["part"], title, sharex=True, sharey="row")
    times = data.time.values
    for (above, below), part in zip(panels.T, map(str, data.part.values), strict=True):
        for axes, lines, factor in ((above, DIVERGENCES, 2), (below, RATIOS, 1)):
            axes.set(xscale="log", yscale="log")
            for name, look in lines.items():
                values = factor * data[name].sel(part=part).transpose("seed", "time").values
                curves.draw_mean(axes, times, values, look, extremes=True, markersize=4)
        style.reference(above, ETA, "needed: $η$ ≤ 1/5", style.INK)
        style.reference(below, 1 + np.sqrt(3 * ETA), "needed: below 1 + √(3η)", style.INK)
        above.set_title(TITLES.get(part, part))
        below.set_xlabel("round $T$")
        below.set_xlim(times[0] / 1.15, times[-1] * 1.15)  # room for the markers at both ends
        below.set_xticks(times, [str(t) for t in times])
        below.xaxis.set_minor_formatter(NullFormatter())
    panels[0, 0].set(ylabel="2 KL to the virtual (nats)", ylim=(0.06, None))
    panels[1, 0].set(ylabel="median variance ratio", ylim=(0.7, None))
    entries = [
        SPARSE.handle("few fresh observations (SparQ)"),
        VARIATIONAL.handle("variational, uses all outputs"),
        TRACE.handle(r"$\mathrm{tr}(K - Q) / σ^2$, the bound on its mean"),
    ]
    style.legend(figure, entries, 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    selected = data.isel(part=0)
    return (
        "Above: twice the KL divergence from the posterior given all $T$ virtual observations of $f_T$."
        rf" Orange: the posterior from $M = ⌈{float(selected.query_scale):g} \log T⌉$ of these observations,"
        " as in SparQ-GP-UCB. Blue: the optimal variational posterior on the same M points, which uses all"
        " outputs and to which the cited theory applies; grey: its residual trace. Below: ratio of"
        " posterior variances, the median over the arms. Black: what Propositions 3.2 and 3.4"
        " need, 2 KL ≤ $η$ ≤ 1/5. Functions of Mauduit25b, Fig. 2,"
        f" $σ^2 = {float(selected.noise_variance):g}$; means over {data.sizes['seed']} runs, bands"
        " from the lowest run to the highest."
    )
