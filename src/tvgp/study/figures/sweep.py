"""Regret against a parameter of the algorithms, a column of panels per parameter.

A curve is a tuned variant's training runs over its grid. A filled marker is its best value, played on
the study's own seeds; an open one at the right is the same algorithm as printed, in the same runs.
Variant `<name>_<parameter>` is `<name>` with that parameter tuned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.results import mathematics
from tvgp.study.results.statistics import half_width

WORDS = {
    "width": "constant width (standard deviations)",
    "query_scale": r"query scale $c$ in $c \log t$",
    "alpha": "drift exponent $α$",
    "alpha_tilde": r"window exponent $\tilde α$",
}
BEST = style.Look(style.INK, "", "o")


@dataclass(frozen=True)
class Parameters:
    """parameters: those of the algorithms that are swept; effort: whether to draw the expert queries
    per round below."""

    parameters: Sequence[str] = ("width",)
    effort: bool = False


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure."""
    part, names = results.at_alpha(collected), parameters.parameters
    rows = 2 if parameters.effort else 1
    layout = {"sharex": "col", "sharey": "row", "height_ratios": (5, 3)[:rows]}
    figure, panels = style.panels(2.4 + 1.6 * rows, rows, len(names), results.title(part), **layout)
    entries: dict[str, Line2D] = {}
    for column, name in zip(panels.T, names, strict=True):
        swept = _swept(part, name)
        ticks = sorted({value for record in swept.values() for value in record["grid"]})
        labels = [f"{value:.2g}" for value in ticks]
        bases = {variant: variant.removesuffix(f"_{name}") for variant in swept}
        logarithmic = ticks[-1] >= 10 * ticks[0]
        aside = 2.5 * ticks[-1] if logarithmic else ticks[-1] + 0.25 * (ticks[-1] - ticks[0])
        for variant, record in swept.items():
            look, order = style.look(variant), np.argsort(record["grid"])
            entries.setdefault(bases[variant], look.handle(_algorithm(part, variant)))
            grid = np.array(record["grid"])[order]
            _band(column[0], grid, np.array(record["regret"])[order], look)
            _point(column[0], record["value"], results.final_average(part, variant), look)
            if bases[variant] in part.policy.values:
                runs = results.final_average(part, bases[variant])
                _point(column[0], aside, runs, replace(look, filled=False))
            if parameters.effort:
                asked = np.array(record["queries"]).mean(axis=1)[order]
                column[1].plot(grid, asked, **look.marked())
        if set(bases.values()) & set(part.policy.values):
            between = (aside * ticks[-1]) ** 0.5 if logarithmic else (aside + ticks[-1]) / 2
            column[0].axvline(between, color=style.SOFT_INK, linewidth=0.5)
            ticks, labels = [*ticks, aside], [*labels, "printed"]
        column[0].set_yscale("log")
        column[-1].set_xscale("log" if logarithmic else "linear")
        column[-1].set_xticks(ticks, labels)
        column[-1].minorticks_off()
        column[-1].set_xlabel(WORDS.get(name, name))
    panels[0, 0].set_ylabel(curves.with_units("average regret", part))
    if parameters.effort:
        panels[1, 0].set_ylabel(f"queries per {results.round_label(part)}")
    best = BEST.handle("best value, on the study's seeds")
    style.legend(figure, [*entries.values(), best], 3)
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    part, names = results.at_alpha(collected), parameters.parameters
    swept = {variant: record for name in names for variant, record in _swept(part, name).items()}
    training = max(record["training_seeds"] for record in swept.values())
    values = "; ".join(
        f"{_algorithm(part, variant)}, {mathematics.symbol(record['parameter'])} {record['value']:.3g}"
        for variant, record in swept.items()
    )
    text = (
        f"{results.title(part)}: average regret after {part.sizes['round']}"
        f" {results.round_label(part)}s against the {' and the '.join(WORDS.get(n, n) for n in names)}, on"
        f" {results.data_words(part)}. "
    )
    if training > 1:
        text += f"Curves are means over {training} training runs, bands 95 % confidence intervals."
    else:
        text += "Curves show a single training run per value, so there is no band."
    text += (
        " Markers: the value with the least training regret, played on the study's own"
        f" {part.sizes['seed']} runs, with 95 % confidence intervals of the mean (Student $t$)."
    )
    if "width" in names:
        text += " Open markers: the same algorithms as printed, in the same runs."
    return f"{text} Best values: {values}."


def _swept(part: xr.Dataset, parameter: str) -> dict[str, dict]:
    """Records of the variants with this parameter tuned, in file order. ValueError if there is none."""
    records, names = results.tuned(part), results.variants(part)
    swept = {n: records[n] for n in names if n in records and records[n]["parameter"] == parameter}
    if not swept:
        raise ValueError(
            f"{results.name(part)}: no variant with a tuned {parameter} was run; add one to"
            " selection.policies, or remove the figure from selection.figures"
        )
    return swept


def _algorithm(part: xr.Dataset, variant: str) -> str:
    """The label without what comes after its last comma."""
    label = results.label(part, variant)
    return label.rpartition(",")[0] or label


def _band(axes: Axes, x: np.ndarray, runs: np.ndarray, look: style.Look) -> None:
    """Mean and interval of training runs (grid, seeds)."""
    mean, half = runs.mean(axis=1), half_width(runs.T)
    axes.plot(x, mean, **look.curve())
    if runs.shape[1] > 1:
        low = np.maximum(mean - half, 0.3 * mean)  # a logarithmic axis has no place for 0
        axes.fill_between(x, low, mean + half, color=look.colour, alpha=0.12, linewidth=0)


def _point(axes: Axes, x: float, runs: np.ndarray, look: style.Look) -> None:
    """Mean and interval over runs (seeds,)."""
    axes.errorbar(
        x,
        runs.mean(),
        np.nan_to_num(half_width(runs)),
        linestyle="",
        color=look.colour,
        capsize=2,
        elinewidth=1.0,
        zorder=4,
        **look.point(),
    )
