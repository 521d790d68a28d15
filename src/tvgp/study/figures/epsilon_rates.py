"""How the average regret depends on epsilon: measured, with fitted slopes, beside the rates of
Bogunovic16, Corollary 4.1 and their lower bound."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from tvgp.study import results
from tvgp.study.figures import misspecification
from tvgp.study.figures.base import curves, markov, style
from tvgp.study.results import statistics
from tvgp.theory import bounds, schedules

METHODS = {"tv_known": ("TV", False), "r_known": ("R", True)}  # label, whether it restarts
SMOOTHNESS = {"markov_se": np.inf, "markov_sq": np.inf, "markov_m52": 2.5}
LOWER = style.Look(style.INK, style.DOTTED, "", width=1.0)
BEST = style.Look(style.INK, "", "x")


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: regret above, block lengths below, a column for each kernel."""
    kernels = markov.by_kernel(collected)
    title = "Regret against the drift rate (Bogunovic16, Corollary 4.1)"
    ratios = {"height_ratios": (2.6, 1)}
    figure, panels = style.panels(5.3, 2, len(kernels), title, sharex=True, sharey="row", gridspec_kw=ratios)
    for (axes, below), (kernel, parts) in zip(panels.T, kernels.items(), strict=True):
        horizon = next(iter(parts.values())).sizes["round"]
        epsilons = np.array(list(parts))
        grid = np.geomspace(epsilons[0] / 1.6, epsilons[-1] * 1.6, 60)
        axes.set(xscale="log", yscale="log", xlim=(grid[0], grid[-1]), title=markov.KERNELS[kernel])
        for index, (name, (label, restarting)) in enumerate(METHODS.items()):
            look, (slope, values) = style.look(name), slope_of(parts, name)
            axes.plot(epsilons, values, linestyle="", zorder=4, **look.point())
            fit = np.exp(np.polyval(np.polyfit(np.log(epsilons), np.log(values), 1), np.log(epsilons)))
            axes.plot(epsilons, fit, **look.curve())
            bound = bounds.regret_bound_bogunovic(np.array(horizon), grid, restarting, SMOOTHNESS[kernel])
            axes.plot(grid, bound / horizon, color=look.colour, linestyle=style.DASHED, linewidth=1.0)
            rate = bounds.rate_bogunovic(restarting, SMOOTHNESS[kernel])
            axes.text(
                0.03,
                0.94 - 0.06 * index,
                f"{label}: slope {slope.mean:z.2f} [{slope.low:z.2f}, {slope.high:z.2f}]; bound {rate:.3f}",
                transform=axes.transAxes,
                fontsize=6.5,
                color=look.colour,
            )
        axes.plot(grid, grid, **LOWER.curve())
        _block_lengths(below, kernel, parts, grid)
        below.set_xticks(epsilons, [f"{e:g}" for e in epsilons])
        below.xaxis.set_minor_formatter(NullFormatter())
        below.set_xlabel("epsilon")
    panels[0, 0].set(ylabel="average regret  $R_T/T$", ylim=(epsilons[0], 9))
    panels[0, 0].yaxis.set_major_formatter("{x:g}")
    panels[0, 0].yaxis.set_minor_formatter(NullFormatter())
    panels[0, 0].set_yticks([0.001, 0.01, 0.1, 1])
    panels[1, 0].set(ylabel="block $N$", ylim=(0, 240))
    entries = [
        style.look(name).handle(f"{label}-GP-UCB, measured, fitted") for name, (label, _) in METHODS.items()
    ]
    entries.append(
        style.Look(style.INK, style.DASHED, "").handle("upper bound / $T$, constant 1: order only")
    )
    entries.append(LOWER.handle("lower bound / $T = ε$, constant 1"))
    style.legend(figure, [*entries, BEST.handle("best of the block lengths tried")], 2)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    runs = curves.sizes(results.experiments(collected), "seed")
    return (
        f"Average regret at the last round against $ε$, means over {runs} trials. Slopes are"
        " least squares on the points, with 95 % intervals over trials; the bands of the points"
        " are smaller than the markers. Dashed: the order of the upper bounds of"
        r" Corollary 4.1 divided by $T$ with constant 1 and logarithms left out, $\max(T^{-1/2},"
        " ε^p)$: an order only, and vacuous wherever it exceeds the regret of random play."
        " Dotted: the order of the lower bound, $ε$, with constant 1. Finite $T$: for small"
        " $ε$ the regret of learning, not of drift, raises the curves and flattens slopes."
        " Below: the block length of R-GP-UCB that the corollary recommends, with the paper's"
        " constants 12 (squared exponential) and 24 (Matern), and, where block lengths were swept"
        " ($ε = 0.01$), the one with the least mean regret (cross)."
    )


def slope_of(parts: dict[float, xr.Dataset], name: str) -> tuple[statistics.Estimate, np.ndarray]:
    """Slope of log R_T/T on log epsilon with its interval, and the mean R_T/T."""
    runs = [results.final_average(parts[e], name) for e in sorted(parts)]
    estimate = statistics.log_slope(np.log(sorted(parts)), runs)
    return estimate, np.array([run.mean() for run in runs])


def _block_lengths(axes: Axes, kernel: str, parts: dict[float, xr.Dataset], grid: np.ndarray) -> None:
    """The recommended block length over epsilon, and the best one where several were tried."""
    horizon = next(iter(parts.values())).sizes["round"]
    look = style.look("r_known")
    axes.plot(grid, [_recommended(kernel, horizon, e) for e in grid], color=look.colour)
    for epsilon, part in parts.items():
        axes.plot(epsilon, _recommended(kernel, horizon, epsilon), linestyle="", **look.point())
        swept = misspecification.blocks(part)
        if len(swept) > 2:
            best = min(swept, key=lambda n: results.final_average(part, swept[n]).mean())
            axes.plot(epsilon, best, linestyle="", **BEST.point())


def _recommended(kernel: str, horizon: int, epsilon: float) -> int:
    return schedules.bogunovic_block_length(epsilon, horizon, SMOOTHNESS[kernel])
