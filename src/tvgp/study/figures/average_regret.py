"""Average regret R_t / t over rounds, the published methods beside key references.

Mauduit25a Fig. 1 and 2, Mauduit25b Fig. 2 and 3. Bounds that a paper draws are in a strip above,
on a logarithmic scale, because most are far above any possible regret.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.papers.bogunovic16 import READINGS
from tvgp.theory import bounds as theory


@dataclass(frozen=True)
class Parameters:
    """variants: names of those to draw; None for the default of `curves.chosen`."""

    variants: Sequence[str] | None = None


@dataclass(frozen=True)
class Bound:
    """A published bound on R_T: label, source and formula."""

    label: str
    source: str
    formula: Callable[[np.ndarray], np.ndarray]
    look: style.Look


BOUNDS = {
    "sparq_2025a": Bound(
        "SparQ (19)",
        "Mauduit 2025a (19)",
        theory.regret_bound_sparq_2025a,
        style.Look(Colour.BLACK, "-", ""),
    ),
    "sparq_2025b": Bound(
        "SparQ (23)",
        "Mauduit 2025b (23)",
        theory.regret_bound_sparq_2025b,
        style.Look(Colour.BLACK, style.DASHED, ""),
    ),
    "w_sparq": Bound(
        "W-SparQ (34), rooted",
        "Mauduit 2025b (34) with the square root that the printed formula lacks",
        theory.regret_bound_w_sparq,
        style.Look(Colour.BLACK, style.DASH_DOT, ""),
    ),
}
DRAWN_IN_PAPER = {"moving_bump": ("sparq_2025a",), "rkhs_sine": ("sparq_2025b", "w_sparq")}


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure."""
    part, low = _shown(collected, parameters)
    names = _bound_names(part)
    values = results.average_regret(part)
    rounds = np.arange(1, part.sizes["round"] + 1)
    strip = 1.0 if names else 0.0
    figure = style.new_figure(3.65 + strip * 1.15)
    left, width, height = 0.62, 4.45, 2.75
    axes = style.axes_at(figure, left, 0.48, width, height)
    ends = []
    for index, name in enumerate(results.variants(part)):
        ends.append(
            (
                curves.plot_band(axes, rounds, values[index], name, index, part.sizes["policy"]),
                results.label(part, name),
                style.look(name),
            )
        )
        curves.plot_reading(axes, rounds[-1], part, name)
    axes.set_xlim(1, len(rounds))
    top = 1.1 * _highest(part) or 1.0
    axes.set_ylim(low if low > 0 else -0.015 * top, top)  # room for the oracle at 0
    axes.set_xlabel(f"{results.round_label(part)} $t$")
    axes.set_ylabel(curves.with_units("average regret  $R_t/t$", part))
    style.label_ends(axes, ends)
    if _read(part):
        note = "open markers:\nthe paper's figure"
        axes.text(1.046, -0.05, note, transform=axes.transAxes, va="top", fontsize=6.5, color=style.SOFT_INK)
    if names:
        above = style.axes_at(figure, left, 0.48 + height + 0.14, width, strip)
        largest = results.largest_regret(results.at_alpha(collected))
        _draw_bounds(above, names, rounds, axes.get_ylim()[1], largest)
        above.set_title(results.title(part))
    else:
        axes.set_title(results.title(part))
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    part, low = _shown(collected, parameters)
    text = (
        f"{results.title(part)}: average regret $R_t/t$ of the published methods and of references,"
        f" on {results.data_words(part)}{_alpha(collected)}. {curves.band_text(part)}"
    )
    if low > 0:
        text += f" The axis starts at {low:.3g}; the oracle, not drawn, has no regret."
    if _read(part):
        text += " Open markers at the right edge are read from the paper's figure."
    names = _bound_names(part)
    if names:
        sources = "; ".join(BOUNDS[name].source for name in names)
        text += (
            f" The strip above shows the published bounds divided by $t$ ({sources}) on a"
            " logarithmic scale, with $d = 1$, $δ = 0.05$ and the constant, which the papers leave"
            " open, set to 1: they show an order only and prove nothing here."
        )
        largest = results.largest_regret(results.at_alpha(collected))
        text += (
            " In the hatched region a bound is vacuous: it exceeds the largest regret of any"
            f" variant in any round, {largest:.3g}."
        )
    return text


def _alpha(collected: xr.Dataset) -> str:
    """The drift exponent, of an experiment that was played at several."""
    if collected.sizes.get("alpha", 1) < 2:
        return ""
    alpha = str(collected.alpha.values[0])
    return ", $α$ fitted on training data" if alpha == "fit" else f", $α = {alpha}$"


def _shown(collected: xr.Dataset, parameters: Parameters) -> tuple[xr.Dataset, float]:
    """The variants drawn and the start of the axis: above 0, and without the oracle, where otherwise more
    than half of the panel would be empty."""
    part = curves.chosen(results.at_alpha(collected), parameters.variants)
    others = results.select(part, *(name for name in results.variants(part) if name != "oracle"))
    if not others.sizes["policy"]:
        return part, 0.0
    low, high = float(_settled(results.average_regret(others)).min()), _highest(others)
    low = min([low, *_read(others)])
    return (others, low - 0.1 * (high - low)) if low > 0.5 * high else (part, 0.0)


def _highest(part: xr.Dataset) -> float:
    """The highest mean of a settled round or end of a last round's band."""
    values = results.average_regret(part)
    banded = [name not in curves.REFERENCES for name in results.variants(part)]
    ends = [curves.band(runs)[1] for runs in values[banded, :, -1]]
    return float(np.nanmax([_settled(values).max(), *ends, *_read(part)]))


def _read(part: xr.Dataset) -> list[float]:
    """The values of the variants shown that the paper's figure has."""
    keys = [(results.name(part), name) for name in results.variants(part)]
    return [READINGS[key] for key in keys if key in READINGS]


def _settled(values: np.ndarray) -> np.ndarray:
    """Means over runs of values (variants, runs, rounds), without the first tenth of the rounds: averages
    over few rounds would set the scale."""
    rounds = values.shape[-1]
    return values.mean(axis=1)[:, min(rounds - 1, max(4, rounds // 10)) :]


def _bound_names(part: xr.Dataset) -> tuple[str, ...]:
    """Bounds that the paper draws; none for runs too short to show them."""
    return DRAWN_IN_PAPER.get(part.attrs["experiment"], ()) if part.sizes["round"] > 10 else ()


def _draw_bounds(
    axes: Axes, names: Sequence[str], rounds: np.ndarray, top_below: float, largest: float
) -> None:
    """The strip of bounds over t, above the panel whose upper limit is `top_below`."""
    t = rounds[rounds >= 3].astype(float)
    averages = {name: BOUNDS[name].formula(t) / t for name in names}
    highest = np.nanmax([np.nanmax(average[t >= 10]) for average in averages.values()])
    lowest = min(top_below, *(np.nanmin(average) for average in averages.values()))
    high = 12 * max(highest, largest)
    axes.set(yscale="log", xlim=(1, len(rounds)), ylim=(0.5 * lowest, high))
    axes.tick_params(labelbottom=False)
    axes.set_ylabel("bound / $t$")
    axes.axhspan(largest, high, facecolor=Colour.GREY_F2, edgecolor=Colour.GREY_C4, hatch="////", linewidth=0)
    axes.axhline(largest, color=Colour.GREY_7F, linewidth=0.7)
    axes.text(
        0.99,
        0.9,
        f"vacuous: above {largest:.3g}, the largest regret in any round",
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=6.5,
        color=style.SOFT_INK,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )
    ends = []
    for name, average in averages.items():
        bound = BOUNDS[name]
        axes.plot(t, average, **bound.look.curve(), zorder=4)
        ends.append((float(average[-1]), bound.label, bound.look))
    style.label_ends(axes, ends, low=0.3)
    axes.text(
        1.046,
        0.02,
        "bounds with constant 1:\norder only",
        transform=axes.transAxes,
        fontsize=6.5,
        color=style.SOFT_INK,
    )
