"""Average regret against an assumed epsilon and against the block length (Bogunovic16, Fig. 2c and
2d): mean and one standard deviation over trials, GP-UCB as the special case."""

from __future__ import annotations

import re

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.claims import bogunovic16
from tvgp.study.figures.base import curves, style

ACROSS = True
COLUMNS = (("markov_sq_e01", "l² = 0.2"), ("markov_se_e01", "l = 0.2 as printed"))


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a row for each sweep, a column for each reading of the length-scale."""
    parts = _parts(collected)
    width, tall, gap, between, left, bottom = 2.95, 1.75, 0.55, 0.62, 0.62, 0.78
    figure = style.new_figure(bottom + 2 * tall + between + 0.52)
    for column, (name, reading) in enumerate(COLUMNS):
        if name not in parts:
            continue
        part = parts[name]
        for row, (sweep, known, label) in enumerate(
            (
                (assumed(part), "tv_known", "epsilon assumed by TV-GP-UCB"),
                (blocks(part), "r_known", "block length N of R-GP-UCB"),
            )
        ):
            axes = style.axes_at(
                figure, left + column * (width + gap), bottom + (1 - row) * (tall + between), width, tall
            )
            _panel(axes, part, sweep, known, row == 0)
            axes.set_xlabel(label)
            if row == 0:
                axes.set_title(f"squared exponential, {reading}")
            if column == 0:
                axes.set_ylabel("average regret  $R_T/T$")
    style.legend_below(
        figure,
        [
            ("TV-GP-UCB", style.look("tv_known")),
            ("R-GP-UCB", style.look("r_known")),
            ("GP-UCB, the special case", style.look("gp_log")),
        ],
        3,
        left,
        0.32,
    )
    style.title_above(figure, "Mis-specified epsilon and block length (Bogunovic16, Fig. 2c and 2d)", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    parts = _parts(collected)
    runs, rounds = (curves.sizes(parts.values(), dimension) for dimension in ("seed", "round"))
    return (
        f"Average regret after {rounds} rounds, true epsilon 0.01: means over {runs} trials, the"
        " band is one standard deviation between trials (not an interval of the mean), as in the"
        " paper."
        " Above: the epsilon that TV-GP-UCB assumes; 0 is GP-UCB. Below: the block length of"
        " R-GP-UCB; N = T is GP-UCB. The larger marker is the true epsilon and the recommended"
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


def _panel(axes: Axes, part: xr.Dataset, sweep: dict[float, str], known: str, epsilon: bool) -> None:
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
    kind = "assumed" if epsilon else "block"
    if results.name(part) == "markov_sq_e01":
        for position, value in bogunovic16.SWEEPS[kind].items():
            axes.plot(
                position,
                value,
                linestyle="",
                marker="x",
                markersize=5,
                color=style.INK,
                zorder=5,
                clip_on=False,
            )
    axes.set_ylim(0, None)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_xlim(-0.0005 if epsilon else 0, x.max() * 1.02)


def _parts(collected: list[xr.Dataset]) -> dict[str, xr.Dataset]:
    names = [name for name, _ in COLUMNS]
    parts = {results.name(data): results.at_alpha(data) for data in collected if results.name(data) in names}
    if not parts:
        raise ValueError(f"none of {', '.join(names)} is among the results")
    return parts
