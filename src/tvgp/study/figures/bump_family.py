"""The functions of the lower bounds, at the step that the argument needs and at the printed one
(Mauduit25b, Fig. 5)."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour

PARTS = {
    "values": "centres 2w apart: no point is good for two functions",
    "printed": "centres $w$ apart, as printed: midpoints are good for both neighbours",
}
COLOURS = (Colour.BLUE, Colour.ORANGE, Colour.GREEN, Colour.PINK, Colour.SKY, Colour.VERMILION)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: step 2w above, step w below."""
    selected = collected[0].isel(part=0)
    gap = float(selected.gap)
    figure, panels = style.panels(
        3.8, 2, title="Families of functions that share no good point", sharex=True, sharey=True
    )
    for axes, (name, heading) in zip(panels[:, 0], PARTS.items(), strict=True):
        for colour, function in zip(COLOURS, selected[name].values, strict=False):
            axes.plot(selected.x.values, function, color=colour, linewidth=1.2)
        style.reference(axes, gap, "height $ε$", style.INK, linestyle=style.DOTTED)
        axes.set_xlim(selected.x.values[0], selected.x.values[-1])
        axes.set_ylim(-0.3 * gap, 2.2 * gap)
        axes.set_title(heading)
        axes.set_ylabel("$f^m(x)$")
    axes.set_xlabel("x")
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    selected = collected[0].isel(part=0)
    shared = float(selected.printed[:2].min("function").max() / selected.gap)  # by two neighbours
    return (
        f"The first six functions of the lower bounds, height $2 ε$ with $ε = {float(selected.gap):g}$, on"
        f" the left end of [-50, 50], width $w = {float(selected.width):.3g}$ at which the RKHS norm is"
        f" $B = {float(selected.norm):.3g}$: {int(selected['count'])} functions on the whole domain at step"
        f" $2w$. The published formula (36) gives $w = {float(selected.published_width):.3g}$, whose norm is"
        f" {float(selected.published_norm):.3g}. Above: centres 2w apart, as the argument needs. Below:"
        f" centres $w$ apart, as the paper prints; a midpoint then has {shared:.1f} $ε$ for both"
        " neighbours. Computed, not simulated; no band."
    )
