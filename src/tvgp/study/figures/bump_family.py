"""The functions of the lower bounds, at the step that the argument needs and at the printed one
(Mauduit25b, Fig. 5)."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style

ACROSS = True
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: step 2w above, step w below."""
    selected = collected[0].isel(part=0)
    gap = float(selected.gap)
    figure = style.new_figure(3.6)
    left, width = 0.62, style.WIDTH - 0.75
    for row, (name, heading) in enumerate(
        (
            ("values", "centres 2w apart: no point is good for two functions"),
            ("printed", "centres w apart, as printed: midpoints are good for both neighbours"),
        )
    ):
        axes = style.axes_at(figure, left, 0.48 + (1 - row) * 1.62, width, 1.12)
        for colour, function in zip(COLOURS, selected[name].values, strict=False):
            axes.plot(selected.x.values, function, color=colour, linewidth=1.2)
        axes.axhline(gap, color=style.INK, linestyle=style.DOTTED, linewidth=0.9)
        axes.text(1.005, gap, "ε", transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.set_xlim(selected.x.values[0], selected.x.values[-1])
        axes.set_ylim(-0.3 * gap, 2.2 * gap)
        axes.set_title(heading, fontsize=8)
        axes.set_ylabel("$f^m(x)$")
        axes.tick_params(labelbottom=row == 1)
    axes.set_xlabel("x")
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    selected = collected[0].isel(part=0)
    shared = float(selected.printed[:2].min("function").max() / selected.gap)  # by two neighbours
    return (
        f"The first six functions of the lower bounds, height 2 ε with ε = {float(selected.gap):g}, on"
        f" the left end of [-50, 50], width w = {float(selected.width):.3g} at which the RKHS norm is"
        f" B = {float(selected.norm):.3g}: {int(selected['count'])} functions on the whole domain at step"
        f" 2w. The published formula (36) gives w = {float(selected.published_width):.3g}, whose norm is"
        f" {float(selected.published_norm):.3g}. Above: centres 2w apart, as the argument needs. Below:"
        f" centres w apart, as the paper prints; a midpoint then has {shared:.1f} ε for both"
        " neighbours."
        " Computed, not simulated; no band."
    )
