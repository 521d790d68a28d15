"""Late regret and growth exponents in the test beds against a constant width, and at the methods' own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from tvgp.study import results
from tvgp.study.figures.base import beds, style
from tvgp.study.results import growth
from tvgp.study.results.statistics import Estimate, mean_interval

OWN = 2.0  # where a method's own width stands, as a multiple of the largest constant
BESIDE = 1.06  # between the markers of two methods, so that intervals do not cover each other
METHODS = ("ui_gp_ucb", "sparq_gp_ucb", "w_sparq_gp_ucb", "ui_sparq_gp_ucb", "sparq_domain_greedy")
WIDTHS = (0.5, 1.0, 2.0, 4.0)  # the constants of parts METHOD_at_WIDTH


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a column per test bed and drift exponent."""
    cells = [(data, alpha) for data in collected for alpha in growth.alphas(data)]
    title = "What the confidence width decides where data age or the function drifts"
    figure, panels = style.panels(4.6, 2, len(cells), title, sharex=True, sharey="row")
    for (data, alpha), above, below in zip(cells, *panels, strict=True):
        _panel(above, data, alpha, _late)
        _panel(below, data, alpha, growth.exponent)
        above.set_title(f"{beds.BEDS[results.name(data).removesuffix('_widths')]}, $α = {alpha:g}$")
        below.axhline(1, color=style.SOFT_INK, linewidth=0.7, linestyle=":")
        below.set_xlabel("width in std")
    panels[0, 0].set_yscale("log")
    panels[0, 0].yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    panels[0, 0].set_ylabel("late regret,\nshare of random play")
    panels[1, 0].set_ylabel("growth exponent of $R_t$")
    style.legend(figure, [style.entry(name) for name in METHODS], 3)
    return figure


def _panel(
    axes: Axes, data: xr.Dataset, alpha: float, measure: Callable[[xr.Dataset, str, float], Estimate]
) -> None:
    own = OWN * WIDTHS[-1]
    for index, name in enumerate(METHODS):
        look, aside = style.look(name), BESIDE ** (index - (len(METHODS) - 1) / 2)
        at = [measure(data, growth.at_width(name, width), alpha) for width in WIDTHS]
        _drawn(axes, [width * aside for width in WIDTHS], at, **look.marked())
        _drawn(axes, [own * aside], [measure(data, name, alpha)], **look.marked() | {"linestyle": ""})
    axes.set_xscale("log")
    axes.set_xticks([*WIDTHS, own], [*(f"{width:g}" for width in WIDTHS), "own"])
    axes.minorticks_off()


def _drawn(axes: Axes, x: Sequence[float], estimates: Sequence[Estimate], **look: Any) -> None:
    below, above = zip(*((each.mean - each.low, each.high - each.mean) for each in estimates), strict=True)
    axes.errorbar(x, [each.mean for each in estimates], (below, above), markersize=4, elinewidth=0.8, **look)


def _late(data: xr.Dataset, method: str, alpha: float) -> Estimate:
    return mean_interval((data.late_regret / data.random_play).sel(part=method, alpha=alpha).values)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    beds = "; ".join(f"{results.title(data)}: {data.sizes['seed']} runs" for data in collected)
    rounds = int(collected[0]["round"].values[-1])
    return (
        "Above: regret per round in the last tenth of a run, as a share of random play's, on a logarithmic"
        r" axis; below: slope of $\log R_t$ on $\log t$ over the last decade, above 1 if regret per round"
        f" rises. Synthetic rewards in the set-up of the regimes, $T = {rounds:,}$, against a constant width,"
        f" and at the right at the method's own. {beds}. Bars are 95 % intervals, cut"
        " where they reach below 0."
    )
