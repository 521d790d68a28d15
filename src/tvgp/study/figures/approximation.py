"""Divergence and errors of the sparse posterior against the number m of inducing variables, beside
their bounds (Vakili21, Proposition 2)."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp import kernels
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.theory.divergence import ETA

# Kind of inducing variables (colour and marker) and inputs of the data (line and filling).
LOOKS = {"points": (Colour.TEAL, "H"), "features": (Colour.WINE, ">")}
INPUTS = {"uniform": ("uniform data", "-", True), "played": ("GP-TS's data", style.DASHED, False)}
SERIES = {
    (variables, inputs): (f"{variables}, {label}", style.Look(colour, line, marker, filled))
    for variables, (colour, marker) in LOOKS.items()
    for inputs, (label, line, filled) in INPUTS.items()
}
BOUND = style.Look(style.INK, style.DOTTED, "")
RULE = style.Look(style.SOFT_INK, style.DOTTED, "", width=0.8)
# Values below are rounding of two evidences.
FLOOR = 1e-6


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a column for each kernel; 2 KL above, the largest error of the mean below."""
    data = collected[0]
    last = int(data["round"].values[-1])
    title = f"Sparse posterior after {last:,} rounds (Vakili21, Proposition 2)"
    figure, panels = style.panels(4.9, 2, data.sizes["part"], title, sharex="col", sharey="row")
    for (above, below), part in zip(panels.T, map(str, data.part.values), strict=True):
        selected = data.sel(part=part).dropna("size", how="all", subset=["divergence_by_size"])
        sizes = selected["size"].values
        for (variables, inputs), (_, look) in SERIES.items():
            case = selected.sel(variables=variables, inputs=inputs)
            for axes, name in ((above, "divergence"), (below, "mean_error")):
                values = case[f"{name}_by_size"].transpose("seed", "size").values.clip(FLOOR)
                curves.draw_mean(axes, sizes, values, look, extremes=True, markersize=4)
            if inputs == "uniform":
                bound = case.bound_by_size.mean("seed").values.clip(FLOOR)
                above.plot(sizes, bound, **BOUND.curve() | {"color": look.colour})
            rule = float(selected.rule.sel(variables=variables)[-1])
            for axes in (above, below):
                axes.axvline(rule, zorder=1, **RULE.curve())
        for axes in (above, below):
            axes.set(xscale="log", yscale="log")
        style.reference(above, ETA, "needed: 1/5", style.INK)
        style.reference(below, ETA**0.5, "bound for 2 KL = 1/5", style.INK)
        above.set_title(kernels.find(str(selected.kernel.item())).label)
        below.set_xlabel("inducing variables  $m$")
        style.x_ticks(below, sizes)
    panels[0, 0].set(ylabel="2 KL(sparse || exact)", ylim=(FLOOR, None))
    panels[1, 0].set(ylabel="largest |error of the mean| / $σ$", ylim=(FLOOR, None))
    entries = [look.handle(label) for label, look in SERIES.values()]
    entries.append(BOUND.handle("bound on 2 KL, uniform data"))
    style.legend(figure, [*entries, RULE.handle("$m$ by the rules")], 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    return (
        "Above: twice the KL divergence from the sparse to the exact posterior against the number of"
        " inducing variables; dotted curves in the same colours bound it by the eigenvalues beyond $m$ (for"
        " points with probability 0.95). Below: the largest error of the posterior mean over the arms in"
        " exact standard deviations. Proposition 2 needs 2 KL ≤ 1/5; vertical lines are $m$ by the paper's"
        " rules with constant 1. Data are uniform or played by exact Thompson sampling; inducing"
        f" points are a k-DPP of the data. Functions of {data.sizes['seed']} seeds on 100 arms; means, bands"
        f" from the lowest to the highest run. Values below {FLOOR:g} are drawn there."
    )
