"""Average regret against an assumed epsilon and against the block length (Bogunovic16, Fig. 2c and
2d): mean and one standard deviation over trials, GP-UCB as the special case."""

from __future__ import annotations

import re

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.papers import bogunovic16

COLUMNS = {"markov_sq_e01": "$l^2 = 0.2$", "markov_se_e01": "$l = 0.2$ as printed"}
PAPER = style.Look(style.INK, "", "x")


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row for each sweep, a column for each reading of the length-scale."""
    parts = _parts(collected)
    title = "Mis-specified $ε$ and block length (Bogunovic16, Fig. 2c and 2d)"
    figure, panels = style.panels(5.2, 2, len(COLUMNS), title, sharex="row", sharey="row")
    for column, (name, reading) in zip(panels.T, COLUMNS.items(), strict=True):
        column[0].set_title(f"squared exponential, {reading}")
        if name in parts:
            _panel(column[0], parts[name], assumed(parts[name]), "tv_known", "assumed")
            _panel(column[1], parts[name], blocks(parts[name]), "r_known", "block")
    for row, label in zip(panels, ("$ε$ assumed by TV-GP-UCB", "block length $N$ of R-GP-UCB"), strict=True):
        row[0].set(ylabel="average regret  $R_T/T$", ylim=(0, None))
        for axes in row:
            axes.set_xlabel(label)
    entries = [style.look(name).bare().handle(label) for name, label in bogunovic16.LABELS.items()]
    large = style.look("tv_known").point() | {"markersize": 7, "color": style.look("tv_known").colour}
    true = Line2D([], [], linestyle="", label="true $ε$, recommended $N$", **large)
    style.legend(
        figure, [*entries[:2], style.look("gp_log").handle("GP-UCB"), true, PAPER.handle("paper")], 5
    )
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    parts = _parts(collected)
    runs, rounds = (curves.sizes(parts.values(), dimension) for dimension in ("seed", "round"))
    return (
        f"Average regret after {rounds} rounds, true $ε$ 0.01: means over {runs} trials, the"
        " band is one standard deviation between trials (not an interval of the mean), as in the"
        " paper. Above: the $ε$ that TV-GP-UCB assumes; 0 is GP-UCB. Below: the block length of"
        " R-GP-UCB; $N = T$ is GP-UCB. The larger marker is the true $ε$ and the recommended"
        " block length. Crosses: values stated for or read from the paper's figures (read by eye,"
        " about 0.02), drawn in the column of the length-scale that they match."
    )


def assumed(part: xr.Dataset) -> dict[float, str]:
    """Variants by the epsilon they assume; 0 is GP-UCB."""
    variants = {0.0: "gp_log", 0.01: "tv_known"}
    for name in results.variants(part):
        match = re.fullmatch(r"tv_assumed_0(\d+)", name)
        if match:
            variants[float(f"0.0{match[1]}")] = name
    return dict(sorted((e, n) for e, n in variants.items() if n in part.policy.values))


def blocks(part: xr.Dataset) -> dict[float, str]:
    """Variants by their block length; the horizon is GP-UCB."""
    variants = {38.0: "r_known", float(part.sizes["round"]): "gp_log"}
    for name in results.variants(part):
        match = re.fullmatch(r"r_block_(\d+)", name)
        if match:
            variants[float(match[1])] = name
    return dict(sorted((n, v) for n, v in variants.items() if v in part.policy.values))


def _panel(axes: Axes, part: xr.Dataset, sweep: dict[float, str], known: str, kind: str) -> None:
    x = np.array(list(sweep))
    runs = np.stack([results.final_average(part, name) for name in sweep.values()])
    mean, deviation = runs.mean(axis=1), runs.std(axis=1, ddof=1) if runs.shape[1] > 1 else 0.0
    look = style.look(known)
    axes.fill_between(x, mean - deviation, mean + deviation, color=look.colour, alpha=0.18, linewidth=0)
    axes.plot(x, mean, color=look.colour, linewidth=1.25)
    for position, value, name in zip(x, mean, sweep.values(), strict=True):
        shown = style.look("gp_log") if name == "gp_log" else look
        size = 7 if name == known else 4.2
        axes.plot(position, value, linestyle="", markersize=size, clip_on=False, zorder=4, **shown.point())
    if results.name(part) == "markov_sq_e01":
        published = bogunovic16.SWEEPS[kind]
        values = list(published.values())
        axes.plot(list(published), values, linestyle="", clip_on=False, zorder=5, **PAPER.point())
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlim(-0.0005 if kind == "assumed" else 0, x.max() * 1.02)


def _parts(collected: list[xr.Dataset]) -> dict[str, xr.Dataset]:
    parts = {
        results.name(data): results.at_alpha(data) for data in collected if results.name(data) in COLUMNS
    }
    if not parts:
        raise ValueError(f"none of {', '.join(COLUMNS)} is among the results")
    return parts
