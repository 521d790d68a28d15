"""Error of the best decision as the horizon grows, in the setting of Mauduit25b, Proposition 5.1 and
Theorem 5.3, with Fano's bounds."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.study.figures.base import schedules, style
from tvgp.study.figures.base.palette import Colour

PANELS = {"bounded": "Prop. 5.1: 10 queries in all", "threshold": "Theorem 5.3:  $N_T = T^{α/(α+1)}$"}
COLOURS = (Colour.BLUE, Colour.VERMILION)  # by gamma
FLOORS = {"fixed_floor": style.DASHED, "adaptive_floor": style.DOTTED}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: bounded budgets on the left, the theorem's threshold on the right."""
    data = collected[0].isel(part=0)
    title = "With a main evaluation per round, does the error fall as $T$ grows?"
    figure, (panels,) = style.panels(3.3, 1, 2, title, sharey=True)
    for axes, (budget, label) in zip(panels, PANELS.items(), strict=True):
        for colour, gap in zip(COLOURS, data.gap.values, strict=True):
            for index, alpha in enumerate(data.alpha.values):
                at = data.sel(budget=budget, gap=gap, alpha=alpha)
                curve = schedules.point("", index, color=colour, linestyle="-", linewidth=1.0)
                axes.plot(at.horizon, at.error.mean("seed"), **curve)
            for name, line in FLOORS.items():
                floor = data[name].sel(budget=budget, gap=gap).min("alpha")
                if float(floor.max()) > 0:
                    axes.plot(floor.horizon, floor, color=colour, linestyle=line, linewidth=0.9)
        axes.set(xscale="log", ylim=(-0.03, 1.05), xlabel="horizon  $T$", title=label)
        style.x_ticks(axes, data.horizon.values, ",")
    panels[0].set_ylabel("error of the best decision")
    entries = [
        Line2D([], [], color=colour, label=f"$γ = {gap:g}$, $M = {int(m)}$")
        for colour, gap, m in zip(COLOURS, data.gap.values, data.functions.values, strict=True)
    ]
    entries += [
        Line2D([], [], label=f"$α = {alpha:g}$", **schedules.point("", index, color=style.SOFT_INK))
        for index, alpha in enumerate(data.alpha.values)
    ]
    entries.append(Line2D([], [], color=style.INK, linestyle=style.DASHED, label="bound by (37), (38)"))
    entries.append(Line2D([], [], color=style.INK, linestyle=style.DOTTED, label="the same, adaptive points"))
    style.legend(figure, entries, 4)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        "Probability that the most probable of M bumps of height 2γ is not the true one, from one main"
        " evaluation in every round and $N_T$ queries, all of them where the upper bound is largest; means"
        " over times $τ$ in the second half of the run. Regret per round is close to $2γ$ times the error, so"
        " regret is linear where a curve is flat. Dashed: the least over $α$ of Fano's bound with the"
        " information of points fixed in advance, as (38) has it; dotted: with that of points that depend"
        " on the data. Where one is missing ($γ = 0.5$) it is 0: the proof needs a small $γ$. Means over"
        f" {data.sizes['seed']} repetitions; no band."
    )
