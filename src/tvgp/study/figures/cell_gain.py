"""Information gain on the whole domain and in single cells of pi-GP-UCB, beside the published
exponents (Janz20, section 4)."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.papers.janz20 import SMOOTHNESS

KINDS = {
    "greedy": ("whole domain, greedy", style.Look(Colour.BLACK, "-", "o")),
    "realised": ("whole domain, IGP-UCB", style.Look(Colour.GREY, style.DASH_DOT, "p")),
    "largest_cell": ("largest cell, π-GP-UCB to $T$", style.Look(Colour.BLUE, style.LONG_DASHED, "H")),
}
SLOPES = {
    "slope of Janz20, Theorem 4": style.Look(Colour.VERMILION, style.DASHED, "", width=1.0),
    "slope of Srinivas et al.": style.Look(Colour.WINE, style.DOTTED, "", width=1.0),
}


def published(d: int) -> tuple[float, float]:
    """Exponents of T in the upper bounds of Janz20 (Theorem 4) and of Srinivas et al. (2010)."""
    pairs = d * (d + 1)
    return pairs / (pairs + 2 * SMOOTHNESS + d), pairs / (2 * SMOOTHNESS + pairs)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per d."""
    data, cells = _split(collected)
    title = "Growth of the information gain, Matérn 3/2, $30^d$ points"
    figure, panels = style.panels(3.6, 1, data.sizes["part"], title, sharex=True, sharey=True)
    steps = data.step.values
    for axes, name in zip(panels[0], data.part.values, strict=True):
        selected = data.sel(part=name)
        for kind, (_, look) in KINDS.items():
            axis, marks, source = ("step", 4, data) if kind in data else ("rounds", 1, cells)
            values = source[kind].sel(part=name).dropna(axis).transpose("seed", axis)
            curves.draw_mean(
                axes, values[axis].values, values.values, look, extremes=True, markevery=marks, markersize=3.4
            )
        exponents = published(int(selected.d))
        for exponent, look in zip(exponents, SLOPES.values(), strict=True):
            axes.plot(steps, 1.5 * (steps / steps[0]) ** exponent, **look.curve())
        axes.set(xscale="log", yscale="log", xlim=(steps[0], steps[-1]), ylim=(1, 1000))
        axes.set_title(f"$d = {int(selected.d)}$: slopes {exponents[0]:z.2f}, {exponents[1]:z.2f}")
        axes.set_xlabel("rounds $T$")
    panels[0, 0].set_ylabel("information gain  $γ_T$ (nats)")
    entries = [look.handle(text) for text, look in KINDS.values()]
    style.legend(figure, entries + [look.handle(text) for text, look in SLOPES.items()], 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    functions = [source.sizes["seed"] for source in _split(collected)]
    means = f" Means over {functions[0]} functions ({functions[1]} for cells), bands from lowest to highest."
    return (
        r"Information gain $1/2 \log \det(I + K / λ)$, $λ = 1$, on $30^d$ points: of the greedy"
        " sequence of largest variance, which is within $1 - 1/e$ of the maximum, of the points"
        " that IGP-UCB played, and the largest gain of any cell of π-GP-UCB in a run of $T$ rounds,"
        " one run per $T$."
        f"{means} The published upper exponents are drawn as slopes from an arbitrary height, so"
        r" only the directions are comparable; on a finite grid every gain ends as a multiple of $\log T$."
        " A curve that ends early was computed to fewer rounds."
    )


def _split(collected: list[xr.Dataset]) -> tuple[xr.Dataset, xr.Dataset]:
    """Results of `cell_gain`, by d, and of `partitions`."""
    by_name = {results.name(data): data for data in collected}
    return by_name["cell_gain"].sortby("d"), by_name["partitions"]
