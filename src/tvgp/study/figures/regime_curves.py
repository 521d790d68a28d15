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
BEDS = {"ageing": "data age", "drift": "drift"}
RANDOM = style.Look("#9a9a9a", "-", "", width=0.9)
_TICKS = [digit * 10.0**power for power in range(-4, 2) for digit in (1, 2, 5)]


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a row for each test bed, a column for each drift exponent."""
    columns = max(len(_shown(data)) for data in collected)
    figure, panels = style.panels(1.1 + 2.3 * len(collected), len(collected), columns)
    for row, data in zip(panels, collected, strict=True):
        for axes, alpha in zip(row, _shown(data), strict=False):
            _panel(axes, data, alpha, _limits(data))
            axes.set_title(rf"{BEDS.get(results.name(data), '')}, $\alpha$ = {alpha:g}")
            axes.set_xlabel("round $t$")
        row[0].set_ylabel("average regret $R_t/t$")
    names = growth.methods(*collected)
    entries = [style.look(name).handle(growth.LABELS.get(name, name)) for name in names]
    style.legend(figure, [*entries, RANDOM.handle("uniformly random play")], 3)
    return figure


def _shown(data: xr.Dataset) -> list[float]:
    """At most three drift exponents: a slow one, 1, the fastest."""
    alphas = growth.alphas(data)
    if len(alphas) <= 3:
        return alphas
    targets = (0.25, 1.0, alphas[-1])
    return sorted({alphas[int(np.argmin(np.abs(np.array(alphas) - a)))] for a in targets})


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
    axes.axhline(play, **RANDOM.curve())
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
        " Linear regret is level, growth of R_t as a power below 1 a falling straight line."
        " The SparQ family queries an expert; the others observe only their own plays."
        " TV-GP-UCB has the width of its paper, sqrt(0.8 log 4t), several times smaller than the"
        " information width of the others."
    )
