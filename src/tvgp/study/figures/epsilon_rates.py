"""How the average regret depends on epsilon: measured, with fitted slopes, beside the rates of
Bogunovic16, Corollary 4.1 and their lower bound."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from tvgp import streams
from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures import epsilon_regret, misspecification
from tvgp.study.figures.base import curves, style
from tvgp.study.results import statistics
from tvgp.theory import bounds, schedules

ACROSS = True
METHODS = (("tv_known", False), ("r_known", True))
SMOOTHNESS = {"markov_se": np.inf, "markov_sq": np.inf, "markov_m52": 2.5}


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    panels = epsilon_regret._panels(collected)
    width, gap, left, bottom, tall, strip = 1.98, 0.3, 0.55, 0.95, 2.4, 0.85
    figure = style.new_figure(bottom + strip + 0.16 + tall + 0.52)
    low = min(
        results.final_average(part, "tv_known").mean() for parts in panels.values() for part in parts.values()
    )
    for column, (panel, parts) in enumerate(panels.items()):
        across = left + column * (width + gap)
        axes = style.axes_at(figure, across, bottom + strip + 0.16, width, tall)
        axes.set_xscale("log")
        axes.set_yscale("log")
        horizon = next(iter(parts.values())).sizes["round"]
        grid = np.geomspace(min(parts) / 1.6, max(parts) * 1.6, 60)
        for index, (name, restarting) in enumerate(METHODS):
            look, slope, values = style.look(name), *slope_of(panel, parts, name)
            x = np.array(sorted(parts))
            axes.plot(x, values, linestyle="", zorder=4, **look.point())
            fit = np.exp(np.polyval(np.polyfit(np.log(x), np.log(values), 1), np.log(grid)))
            axes.plot(grid, fit, color=look.colour, linewidth=1.25)
            bound = bounds.regret_bound_bogunovic(horizon, grid, restarting, SMOOTHNESS[panel])
            axes.plot(grid, bound / horizon, color=look.colour, linestyle=style.DASHED, linewidth=1.0)
            rate = bounds.rate_bogunovic(restarting, SMOOTHNESS[panel])
            short = "TV" if name == "tv_known" else "R"
            axes.text(
                0.03,
                0.94 - 0.06 * index,
                f"{short}: slope {slope.mean:.2f} [{slope.low:.2f}, {slope.high:.2f}]; bound {rate:.3f}",
                transform=axes.transAxes,
                fontsize=6.5,
                color=look.colour,
            )
        axes.plot(grid, grid, color=style.INK, linestyle=style.DOTTED, linewidth=1.0)
        axes.set_ylim(0.35 * low, 2.6)
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_yticks([0.1, 0.2, 0.5, 1, 2])
        axes.set_title(epsilon_regret.PANELS[panel])
        below = style.axes_at(figure, across, bottom, width, strip)
        _block_lengths(below, panel, parts, grid)
        for panel_axes in (axes, below):
            panel_axes.set_xlim(grid[0], grid[-1])
            panel_axes.set_xticks(sorted(parts), [f"{e:g}" for e in sorted(parts)])
            panel_axes.xaxis.set_minor_formatter(NullFormatter())
            panel_axes.tick_params(labelleft=column == 0, labelbottom=panel_axes is below)
        below.set_xlabel("epsilon")
        if column == 0:
            axes.set_ylabel("average regret  $R_T/T$")
            below.set_ylabel("block N")
    style.legend_below(
        figure,
        [
            ("TV-GP-UCB, measured and fitted", _solid("tv_known")),
            ("R-GP-UCB, measured and fitted", _solid("r_known")),
            ("upper bounds / T, constant 1", style.Look(style.INK, style.DASHED, "")),
            ("lower bound / T = epsilon, constant 1", style.Look(style.INK, style.DOTTED, "")),
        ],
        2,
        left,
        0.46,
    )
    style.title_above(figure, "Regret against the drift rate (Bogunovic16, Corollary 4.1)", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    panels = epsilon_regret._panels(collected)
    parts = [part for parts in panels.values() for part in parts.values()]
    runs = curves.sizes(parts, "seed")
    return (
        f"Average regret at the last round against epsilon, means over {runs} trials. Slopes are"
        " least squares on the points, their 95 % intervals bootstrap the trials; the bands"
        " of the points are smaller than the markers. Dashed: the order of the upper bounds of"
        " Corollary 4.1 divided by T with constant 1 and logarithms left out, max(T^(-1/2),"
        " epsilon^p): an order only, and vacuous wherever it exceeds the regret of random play."
        " Dotted: the order of the lower bound, epsilon, with constant 1. Finite T: for small"
        " epsilon the regret of learning, not of drift, holds the curves up and flattens slopes."
        " Below: the block length of R-GP-UCB that the corollary recommends, with the paper's"
        " constants 12 (squared exponential) and 24 (Matern), and, where block lengths were swept"
        " (epsilon = 0.01), the one with the least mean regret (cross)."
    )


def _solid(name: str) -> style.Look:
    look = style.look(name)
    return style.Look(look.colour, "-", look.marker)


def slope_of(panel: str, parts: dict[float, xr.Dataset], name: str) -> tuple[statistics.Estimate, np.ndarray]:
    """Slope of log R_T/T on log epsilon with its bootstrap interval, and the mean R_T/T."""
    runs = [results.final_average(parts[e], name) for e in sorted(parts)]
    x = np.log(sorted(parts))
    rng = streams.generator("epsilon_rates", panel, name)
    estimate = statistics.log_slope(x, runs, rng)
    return estimate, np.array([run.mean() for run in runs])


def _block_lengths(axes: Axes, panel: str, parts: dict[float, xr.Dataset], grid: np.ndarray) -> None:
    """The recommended block length over epsilon, and the best one where several were tried."""
    horizon = next(iter(parts.values())).sizes["round"]
    look = style.look("r_known")
    axes.set_xscale("log")
    axes.plot(grid, [_recommended(panel, horizon, e) for e in grid], color=look.colour)
    for epsilon, part in parts.items():
        axes.plot(epsilon, _recommended(panel, horizon, epsilon), linestyle="", **look.point())
        swept = misspecification.blocks(part)
        if len(swept) > 2:
            best = min(swept, key=lambda n: results.final_average(part, swept[n]).mean())
            axes.plot(epsilon, best, linestyle="", marker="x", markersize=5, color=style.INK)
    axes.set_ylim(0, 240)


def _recommended(panel: str, horizon: int, epsilon: float) -> int:
    return schedules.bogunovic_block_length(epsilon, horizon, SMOOTHNESS[panel])
