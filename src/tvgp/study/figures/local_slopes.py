"""Local growth exponent of regret against rounds, above average regret, in one set-up.

A pair of rows per test bed, a column for each of at most three drift exponents.
"""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import beds, curves, style
from tvgp.study.results import growth

METHODS = (
    *("gp_ucb", "ui_gp_ucb", "sparq_gp_ucb", "sparq_greedy_subset", "w_sparq_gp_ucb"),
    *("ui_sparq_latest", "ui_sparq_gp_ucb"),
)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    columns = max(len(beds.shown_alphas(data)) for data in collected)
    figure, panels = style.panels(
        0.9 + 3.7 * len(collected),
        2 * len(collected),
        columns,
        "Is regret still growing more slowly?",
        sharey="row",
    )
    for data, above, below in zip(collected, panels[::2], panels[1::2], strict=True):
        for column, alpha in enumerate(beds.shown_alphas(data)):
            _slopes(above[column], data, alpha)
            _averages(below[column], data, alpha)
            bed = beds.BEDS.get(results.name(data), results.title(data))
            above[column].tick_params(axis="x", which="both", labelbottom=False)  # as below
            above[column].set_title(f"{bed}, $α = {alpha:g}$")
            below[column].set_xlabel("round $t$")
        above[0].set_ylabel("local slope of\n$\\log R_t$ on $\\log t$")
        below[0].set_ylabel("average regret $R_t/t$")
    handles = [style.entry(name) for name in _drawn(*collected)]
    style.legend(figure, [*handles, beds.RANDOM.handle("uniformly random play")], 3)
    return figure


def _slopes(axes: Axes, data: xr.Dataset, alpha: float) -> None:
    axes.axhline(1.0, **beds.RANDOM.curve())
    names = _drawn(data)
    for index, name in enumerate(names):
        rounds, slopes = growth.local_slopes(data, name, alpha)
        marks = curves.stagger(len(rounds), index, len(names))
        curves.draw_mean(axes, rounds, slopes, style.look(name), markevery=marks, linewidth=1.0)
    axes.set(xscale="log", ylim=(0.0, 1.25))


def _averages(axes: Axes, data: xr.Dataset, alpha: float) -> None:
    rounds = data["round"].values
    names = _drawn(data)
    for index, name in enumerate(names):
        regret = data.cumulative_regret.sel(part=name, alpha=alpha).transpose("seed", "round").values
        marks = curves.stagger(len(rounds), index, len(names))
        curves.draw_mean(axes, rounds, regret / rounds, style.look(name), markevery=marks, linewidth=1.0)
    axes.axhline(growth.random_play(data.isel(part=0), alpha), **beds.RANDOM.curve())
    axes.set(xscale="log", yscale="log")
    beds.plain_ticks(axes)


def _drawn(*collected: xr.Dataset) -> list[str]:
    return [name for name in growth.methods(*collected) if name in METHODS]


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    beds = ". ".join(f"{results.title(data)}: {data.sizes['seed']} runs" for data in collected)
    return (
        r"Above: local growth exponent of regret, the least-squares slope of $\log R_t$ on $\log t$"
        f" within a factor of {growth.LOCAL:.3g} of $t$, $R_t$ the mean over runs; below: average"
        " regret, both axes logarithmic; synthetic rewards, one set-up for all, at most three of the drift"
        f" exponents run. {beds}. At a slope of 1 (grey) regret per round no longer falls. Lines are means"
        " over runs;"
        f" {curves.bands_text(*(data.sizes['seed'] for data in collected))}, of slopes by the delta"
        " method. All widths are information widths."
    )
