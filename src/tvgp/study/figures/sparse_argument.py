"""KL divergence and variance ratio of the sparse posterior over rounds, beside what the
propositions claim (Mauduit25b, Propositions 3.2 and 3.4)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.theory.divergence import ETA

ACROSS = True
SPARSE = style.Look("#d55e00", "-", "P")
VARIATIONAL = style.Look("#0072b2", style.DASHED, "o", filled=False)
TRACE = style.Look("#4d4d4d", style.DOTTED, "")
TITLES = {"played": "inputs and sets of a SparQ run", "uniform": "uniform inputs, greedy sets"}


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: divergence above, variance ratio below, a column for each part."""
    data = collected[0]
    width, tall, gap, between, left, bottom = 2.95, 1.6, 0.5, 0.38, 0.66, 0.95
    figure = style.new_figure(bottom + 2 * tall + between + 0.5)
    for column, part in enumerate(data.part.values):
        selected = data.sel(part=part)
        above, below = (
            style.axes_at(
                figure, left + column * (width + gap), bottom + (1 - row) * (tall + between), width, tall
            )
            for row in range(2)
        )
        for name, look in (("divergence", SPARSE), ("variational_divergence", VARIATIONAL), ("trace", TRACE)):
            _line(above, selected, name, look)
        above.axhline(ETA / 2, color=style.INK, linewidth=0.9)
        above.text(
            0.985, 0.115, "claimed: 2 KL ≤ η ≤ 1/5", transform=above.transAxes, ha="right", fontsize=6.5
        )
        above.set_ylim(0.03, None)
        above.set_title(TITLES.get(str(part), str(part)))
        for name, look in (("ratio_median", SPARSE), ("variational_ratio_median", VARIATIONAL)):
            _line(below, selected, name, look)
        for name, look in (("ratio_largest", SPARSE), ("variational_ratio_largest", VARIATIONAL)):
            _line(below, selected, name, style.Look(look.colour, style.DOTTED, ""))
        below.axhline(1 + np.sqrt(3 * ETA), color=style.INK, linewidth=0.9)
        below.text(
            0.985, 0.005, "claimed: below 1 + √(3η)", transform=below.transAxes, ha="right", fontsize=6.5
        )
        below.set_ylim(0.7, None)
        below.set_xlabel("round T")
        above.tick_params(labelbottom=False)
        if column == 0:
            above.set_ylabel("KL to the virtual (nats)")
            below.set_ylabel("variance ratio")
    style.legend_below(
        figure,
        [
            ("few fresh observations (SparQ)", SPARSE),
            ("variational, uses all outputs", VARIATIONAL),
            ("tr(K - Q) / 2σ², its bound in the mean", TRACE),
        ],
        2,
        left,
        0.46,
    )
    style.title_above(figure, "Does a posterior from few observations stand for all?", left)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    data = collected[0]
    selected = data.isel(part=0)
    return (
        "Above: KL divergence from the posterior given all T virtual observations of f_T. Orange:"
        f" the posterior from M = ceil({float(selected.query_scale):g} log T) of these observations, as"
        " SparQ-GP-UCB has it."
        " Blue: the optimal variational posterior on the same M points, which uses all outputs and"
        " to which the cited theory applies; grey: half its residual trace. Below: ratio of"
        " posterior variances over the arms, median (lines with markers) and largest (dotted)."
        " Black: what Propositions 3.2 and 3.4 need, 2 KL ≤ η ≤ 1/5. Functions of Mauduit25b,"
        f" Fig. 2, σ² = {float(selected.noise_variance):g}; means over {data.sizes['seed']} runs, bands"
        " from the least run to the largest."
    )


def _line(axes: Axes, selected: xr.Dataset, name: str, look: style.Look) -> None:
    times = selected.time.values
    values = selected[name].transpose("seed", "time").values
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.fill_between(
        times, values.min(axis=0), values.max(axis=0), color=look.colour, alpha=0.15, linewidth=0
    )
    axes.plot(times, values.mean(axis=0), markersize=4, **look.curve(), **look.point())
    axes.set_xlim(times[0], times[-1])
    axes.set_xticks(times, [str(t) for t in times])
    axes.xaxis.set_minor_formatter(NullFormatter())
