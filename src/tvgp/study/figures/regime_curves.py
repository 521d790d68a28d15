"""Average regret against rounds in the two test beds, both axes logarithmic, by alpha."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import style
from tvgp.study.results import growth
from tvgp.study.results.statistics import half_width

ACROSS = True

_TICKS = [digit * 10.0**power for power in range(-4, 2) for digit in (1, 2, 5)]


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    rows = len(collected)
    figure = style.new_figure(1.05 + 2.3 * rows)
    for row, data in enumerate(collected):
        for column, alpha in enumerate(_shown(data)):
            bottom = 1.2 + 2.3 * (rows - 1 - row)
            axes = style.axes_at(figure, 0.6 + 2.25 * column, bottom, 1.85, 1.75)
            _panel(axes, data, alpha, _limits(data))
            bed = {"ageing": "data age", "drift": "drift"}.get(results.name(data), "")
            axes.set_title(rf"{bed}, $\alpha$ = {alpha:g}")
            if column == 0:
                axes.set_ylabel("average regret $R_t/t$")
            if row == rows - 1:
                axes.set_xlabel("round $t$")
    names = growth.methods(*collected)
    entries = [(growth.LABELS.get(name, name), style.look(name)) for name in names]
    style.legend_below(figure, entries, columns=3, left=0.6, top=0.68)
    return figure


def _shown(data: xr.Dataset) -> list[float]:
    """At most three drift exponents: a slow one, 1, the fastest."""
    alphas = growth.alphas(data)
    if len(alphas) <= 3:
        return alphas
    wanted = (0.25, 1.0, alphas[-1])
    return sorted({alphas[int(np.argmin(np.abs(np.array(alphas) - a)))] for a in wanted})


def _panel(axes: Axes, data: xr.Dataset, alpha: float, limits: tuple[float, float]) -> None:
    rounds = data["round"].values
    axes.set_xscale("log")
    axes.set_yscale("log")
    names = growth.methods(data)
    for index, name in enumerate(names):
        part = data.cumulative_regret.sel(part=name, alpha=alpha).transpose("seed", "round")
        values = part.values / rounds
        mean, half, look = values.mean(axis=0), half_width(values), style.look(name)
        step = max(1, len(rounds) // 5)
        axes.plot(
            rounds,
            mean,
            markevery=(index * step // len(names), step),
            zorder=3,
            **look.curve() | {"linewidth": 1.0},
            **look.point() | {"markersize": 3.2},
        )
        if len(values) >= growth.FEWEST:
            # side by side just inside the right end, where curves are closest
            x = rounds[-1] * (rounds[-1] / rounds[0]) ** (0.009 * (1 + index))
            low = max(mean[-1] - half[-1], 0.05 * mean[-1])
            axes.plot([x, x], [low, mean[-1] + half[-1]], color=look.colour, linewidth=1.4)
    play = data.random_play.isel(part=0)
    play = float((play.sel(alpha=alpha) if "alpha" in play.dims else play).mean())
    axes.axhline(play, color="#9a9a9a", linewidth=0.9)
    axes.set_xlim(rounds[0], rounds[-1] * (rounds[-1] / rounds[0]) ** (0.009 * (2 + len(names))))
    axes.set_ylim(*limits)
    axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _limits(data: xr.Dataset) -> tuple[float, float]:
    """Of the means over runs in all panels of a test bed."""
    mean = (data.cumulative_regret / data["round"]).mean("seed").sel(alpha=_shown(data))
    top = max(float(mean.max()), float(data.random_play.mean("seed").max()))
    return 0.7 * float(mean.min()), 1.4 * top


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    beds = ". ".join(f"{results.title(data)}: {data.sizes['seed']} runs" for data in collected)
    return (
        "Average regret R_t/t against rounds, both axes logarithmic, synthetic rewards, some of the"
        f" drift exponents run. {beds}. Lines are means over runs; bars at the right end are 95 %"
        " confidence intervals of the last mean (Student t), left out with fewer than five runs."
        " Linear regret is level, growth of R_t as a power below 1 a falling straight line. Grey"
        " line: uniformly random play. Fresh samples and the SparQ family ask an"
        " expert; the others see their own plays only. TV-GP-UCB has the width of its paper,"
        " sqrt(0.8 log 4t), several times smaller than the information width of the others."
    )
