"""Average regret over rounds for several drift rates, one panel a kernel (Bogunovic16, Fig. 2a and
2b), with what the paper's figure shows at its right edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.claims import bogunovic16
from tvgp.study.figures.base import curves, style
from tvgp.study.results.statistics import half_width

ACROSS = True
PANELS = {
    "markov_se": "SE, l = 0.2 as printed",
    "markov_sq": "SE, l² = 0.2",
    "markov_m52": "Matérn 5/2, l = 0.2",
}
METHODS = ("tv_known", "r_known", "gp_log")
LINES: tuple[LineStyleType, ...] = ("-", style.DASHED, style.DOTTED)


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure."""
    panels = _panels(collected)
    every = [part for parts in panels.values() for part in parts.values()]
    methods = [name for name in METHODS if all(name in part.policy.values for part in every)]
    if not methods:
        raise ValueError("epsilon_regret: none of its methods was run in all of these experiments")
    width, gap, left, bottom, tall = 1.98, 0.3, 0.55, 0.9, 2.5
    figure = style.new_figure(bottom + tall + 0.52)
    epsilons = sorted({e for parts in panels.values() for e in parts})
    tops = [
        results.average_regret(results.select(part, *methods)).mean(axis=1)[:, 9:].max() for part in every
    ]
    for column, (panel, parts) in enumerate(panels.items()):
        axes = style.axes_at(figure, left + column * (width + gap), bottom, width, tall)
        for epsilon, part in sorted(parts.items()):
            rounds = np.arange(1, part.sizes["round"] + 1)
            values = results.average_regret(part)
            for name in methods:
                regret = values[results.variants(part).index(name)]
                look = style.look(name)
                mean, half = regret.mean(axis=0), half_width(regret)
                line = LINES[epsilons.index(epsilon) % len(LINES)]
                axes.fill_between(
                    rounds, mean - half, mean + half, color=look.colour, alpha=0.18, linewidth=0
                )
                axes.plot(rounds, mean, color=look.colour, linestyle=line, linewidth=1.2)
                published = bogunovic16.READINGS.get((results.name(part), name))
                if published is not None:
                    axes.plot(
                        rounds[-1],
                        published,
                        linestyle="",
                        marker=look.marker,
                        markerfacecolor="white",
                        markeredgecolor=look.colour,
                        markersize=4.5,
                        clip_on=False,
                        zorder=5,
                    )
        axes.set_xlim(1, rounds[-1])
        axes.set_ylim(0, 1.06 * max(tops))
        axes.set_title(PANELS[panel])
        axes.set_xlabel("round t")
        axes.tick_params(labelleft=column == 0)
        if column == 0:
            axes.set_ylabel("average regret  $R_t/t$")
    part = next(iter(next(iter(panels.values())).values()))
    entries = [
        Line2D([], [], color=style.look(n).colour, linewidth=1.6, label=results.label(part, n))
        for n in methods
    ]
    entries += [
        Line2D([], [], color=style.INK, linestyle=LINES[i % len(LINES)], label=f"ε = {e:g}")
        for i, e in enumerate(epsilons)
    ]
    read: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 4.5, "markerfacecolor": "white"}
    entries.append(Line2D([], [], color=style.INK, label="read from the paper's figure", **read))
    wide, high = figure.get_size_inches()
    figure.legend(
        handles=entries,
        loc="upper left",
        bbox_to_anchor=(left / wide, 0.44 / high),
        ncols=4,
        borderaxespad=0,
        borderpad=0,
        columnspacing=1.6,
        handlelength=2.8,
    )
    style.title_above(figure, "Regret under three drift rates (Bogunovic16, Fig. 2a and 2b)", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    panels = _panels(collected)
    parts = [part for parts in panels.values() for part in parts.values()]
    runs = curves.sizes(parts, "seed")
    notes = []
    for panel, inside in panels.items():
        part = inside[min(inside)]
        known = [n for n in ("uniform", "best_fixed_arm") if n in part.policy.values]
        numbers = [f"{results.label(part, n)} {results.final_average(part, n).mean():.2f}" for n in known]
        if numbers:
            notes.append(f"{PANELS[panel]}: {', '.join(numbers)}")
    text = (
        "Average regret on functions drawn from the Gauss-Markov model on 50 x 50 arms, epsilon"
        f" known. Lines are means over {runs} trials, bands 95 % intervals of the mean; every"
        " method meets the same functions in a trial. Open markers at the right edge: the values"
        " read from the paper's Fig. 2a (both panels of the squared exponential) and 2b."
    )
    if notes:
        text += f" Not drawn, at the last round and the least epsilon: {'; '.join(notes)}."
    return text


def _panels(collected: list[xr.Dataset]) -> dict[str, dict[float, xr.Dataset]]:
    """Experiments by panel and epsilon; ValueError where none belongs here."""
    panels: dict[str, dict[float, xr.Dataset]] = {}
    for data in results.experiments(collected):
        panel, _, digits = results.name(data).rpartition("_e")
        if panel in PANELS:
            epsilon = bogunovic16.EPSILONS[digits]
            panels.setdefault(panel, {})[epsilon] = results.at_alpha(data)
    if not panels:
        raise ValueError("no experiments on Gauss-Markov functions among the results")
    return {panel: panels[panel] for panel in PANELS if panel in panels}
