"""Expert queries of the published schedules, and published regret bounds, to 10^7 rounds."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.typing import LineStyleType

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.theory import bounds

ACROSS = True
ALPHA_TILDE = 0.25  # of the bound for W-SparQ
NORM_BOUND, VARIANCE = 5.0, 0.5  # B and M_k^2 of the largest possible regret

# lines that differ without colour, for up to six drift exponents
_LINES: tuple[LineStyleType, ...] = (
    style.DOTTED,
    style.DASHED,
    "-",
    style.DASH_DOT,
    style.LONG_DASHED,
    style.DASH_DOT_DOT,
)
_BLUES = (Colour.PALE_BLUE, Colour.LIGHT_BLUE, Colour.BLUE, Colour.DARK_BLUE, Colour.NAVY, Colour.MIDNIGHT)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    (data,) = collected
    part = data.isel(part=0)
    figure = style.new_figure(3.35)
    _counts(style.axes_at(figure, 0.6, 0.5, 2.15, 2.5), part)
    _bounds(style.axes_at(figure, 4.4, 0.5, 1.45, 2.5), part)
    return figure


def _counts(axes: Axes, part: xr.Dataset) -> None:
    rounds = part["round"].values
    red = style.look("sparq_gp_ucb")
    sparq = part.sparq.values / rounds
    axes.plot(rounds, sparq, **red.curve())
    last = np.flatnonzero(np.isfinite(sparq))[-1]
    axes.annotate(
        "SparQ", (rounds[last], sparq[last]), xytext=(0, -9), textcoords="offset points", fontsize=6.5
    )
    ends = []
    for index, alpha in enumerate(part.alpha.values):
        look = style.Look(_BLUES[index % 6], _LINES[index % 6], "")
        values = part.w_sparq.sel(alpha=alpha).values / rounds
        axes.plot(rounds, values, **look.curve())
        ends.append((values[-1], f"$α = {alpha:g}$", look))
    axes.set(xscale="log", yscale="log", xlim=(rounds[0], rounds[-1]))
    axes.set_xlabel("rounds $T$")
    axes.set_ylabel("expert queries per round  $N_T/T$")
    axes.set_title("Queries of SparQ and W-SparQ")
    axes.set_ylim(top=1.5 * np.nanmax(sparq))
    style.label_ends(axes, ends, size=6.5)


def _bounds(axes: Axes, part: xr.Dataset) -> None:
    rounds = part["round"].values
    curves = {
        "GP-UCB, $α = 0.1$": (bounds.regret_bound_gp_ucb(rounds, 0.1), style.look("gp_ucb")),
        "GP-UCB, $α = 0.3$": (
            bounds.regret_bound_gp_ucb(rounds, 0.3),
            style.Look(Colour.GREY, style.DASHED, ""),
        ),
        "SparQ": (bounds.regret_bound_sparq_2025b(rounds), style.look("sparq_gp_ucb")),
        "W-SparQ": (
            bounds.regret_bound_w_sparq(rounds, ALPHA_TILDE),
            style.look("w_sparq_gp_ucb"),
        ),
    }
    limit = float(bounds.largest_regret(np.array(1.0), NORM_BOUND, VARIANCE))
    ends = []
    for label, (bound, look) in curves.items():
        axes.plot(rounds, bound / rounds, **look.curve())
        ends.append((bound[-1] / rounds[-1], label, look.bare()))
    high = 3 * max(end for end, *_ in ends)
    high = max(high, 3 * limit, *(float(np.nanmax(b / rounds)) for b, _ in curves.values()))
    axes.axhspan(limit, high, color=Colour.GREY_F1, zorder=0)
    axes.text(
        rounds[-1] * 0.6,
        limit * 1.15,
        "vacuous above $2 M_k B$",
        va="bottom",
        ha="right",
        fontsize=6.5,
        color=style.SOFT_INK,
    )
    axes.set(xscale="log", yscale="log", xlim=(rounds[0], rounds[-1]))
    axes.set_ylim(0.01, high)
    axes.set_xlabel("rounds $T$")
    axes.set_ylabel("bound on $R_T$ / $T$, constant 1")
    axes.set_title("Published upper bounds")
    style.label_ends(axes, ends, size=6.5)


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    part = collected[0].isel(part=0)
    return (
        "Left: expert queries per round so far of the published schedules, computed without a run:"
        rf" $⌈{float(part.query_scale):g} \log t⌉$, at most $t$, in each query round; SparQ queries in"
        r" every round, W-SparQ at the starts of its windows (32), $\tilde α ="
        f" {float(part.alpha_tilde):g}$, for several drift exponents. Right: the published upper"
        " bounds on cumulative regret, (13), (23) and (34) of Mauduit25b, over $T$,"
        " with every constant that the papers"
        rf" leave open set to 1, $d = 1$, $δ = 0.05$, $\tilde α = {ALPHA_TILDE:g}$ and the square"
        " root that the printed (34) lacks. In the grey range a bound is vacuous: $|f| ≤ M_k B$ with"
        f" $B = {NORM_BOUND:g}$, $M_k^2 = {VARIANCE:g}$ already gives regret per round of at most"
        f" {float(bounds.largest_regret(np.array(1.0), NORM_BOUND, VARIANCE)):.3g}."
    )
