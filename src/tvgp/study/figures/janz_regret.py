"""Cumulative regret and smoothed regret per step of pi-GP-UCB and IGP-UCB (Janz20, Fig. 1, there
for d = 2; `janz_times` has its third panel)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.papers.janz20 import DIMENSIONS, FRACTIONS, LABELS

SMOOTHING = 201  # rounds of the running mean


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row for each d, a column for each quantity."""
    parts = _parts(collected)
    title = "Functions in a Matérn RKHS (Janz20, Table 1 and Fig. 1)"
    figure, panels = style.panels(0.8 + 1.9 * len(parts), len(parts), 2, title)
    for (total, step), (name, part) in zip(panels, parts.items(), strict=True):
        uniform = results.final_average(part, "uniform")[:, None]
        rounds = np.arange(1, part.sizes["round"] + 1)
        peak = 1.12 / 1.05
        for method in LABELS:
            look = style.look(method)
            if method not in part.policy.values:
                note = f"{LABELS[method]} was not run"
                total.annotate(note, (0.03, 0.78), xycoords="axes fraction", fontsize=6.5, color=look.colour)
                continue
            regret = part.regret.sel(policy=method).transpose("seed", "round").values / uniform
            curves.draw_mean(
                total, rounds, np.cumsum(regret, axis=1) / len(rounds), look.bare(), least=0.0, thin=True
            )
            if len(rounds) > SMOOTHING:
                smooth = _smooth(regret)
                inner = rounds[SMOOTHING // 2 : -(SMOOTHING // 2)]
                peak = max(
                    peak, curves.draw_mean(step, inner, smooth, look.bare(), least=0.0, thin=True).max()
                )
            published = FRACTIONS[name, method]
            options = {"linestyle": "", "clip_on": False, "markersize": 5, "zorder": 5}
            total.plot(rounds[-1], published, **replace(look, filled=False).point() | options)
        for axes, height in ((total, 1.12), (step, 1.05 * peak)):
            axes.set_xlim(0, rounds[-1])
            axes.xaxis.set_major_locator(MaxNLocator(2))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.set_ylim(0, height)
            axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
            style.reference(axes, 1, "uniform play", linestyle=style.DOTTED)
        total.set_title(f"$d = {DIMENSIONS[name]}$: regret $R_t / R_T$ of uniform")
        step.set_title("regret per step, smoothed")
    for axes in panels[-1]:
        axes.set_xlabel("round $t$")
    entries = [style.look(method).bare().handle(label) for method, label in LABELS.items()]
    paper = style.Look(style.INK, "", "o", filled=False).handle("Table 1 of the paper")
    style.legend(figure, [*entries, paper], 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    parts = _parts(collected)
    bands = curves.bands_text(*(part.sizes["seed"] for part in parts.values()))
    runs = ", ".join(f"$d = {DIMENSIONS[n]}$: {p.sizes['seed']}" for n, p in parts.items())
    return (
        "Regret as a share of that of uniform play in the same run: cumulative (left; open markers"
        f" at the end are Table 1 of the paper) and per step, a running mean over {SMOOTHING}"
        f" rounds (right). Lines are means over runs ({runs}), {bands}: functions differ widely between runs."
    )


def _parts(collected: list[xr.Dataset]) -> dict[str, xr.Dataset]:
    by_name = {results.name(data): data for data in collected}
    parts = {name: results.at_alpha(by_name[name]) for name in DIMENSIONS if name in by_name}
    if not parts:
        raise ValueError("none of janz_d1, janz_d2, janz_d3 is among the results")
    return parts


def _smooth(regret: np.ndarray) -> np.ndarray:
    total = np.cumsum(np.pad(regret, ((0, 0), (1, 0))), axis=1)
    return (total[:, SMOOTHING:] - total[:, :-SMOOTHING])[:, : regret.shape[1]] / SMOOTHING
