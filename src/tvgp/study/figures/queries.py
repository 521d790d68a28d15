"""What expert queries buy: average regret against all evaluations, and queries a round."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.results.statistics import half_width
from tvgp.theory import query_counts

SPENDERS = (
    "fresh_sample_ucb_sparq",
    "fresh_sample_ucb_w_sparq",
    "sparq_random_subset",
)
FAR = 10**7  # rounds to which the query schedules are continued
ALPHA_TILDE = 0.25  # of the W-SparQ schedules


def draw(collected: xr.Dataset, parameters: Parameters) -> Figure:
    """The figure."""
    part = _shown(collected)
    figure = style.new_figure(4.5)
    left = style.axes_at(figure, 0.62, 1.33, 3.5, 2.6)
    right = style.axes_at(figure, 4.85, 1.33, 2.2, 2.6)
    values = results.average_regret(part)
    spent = results.evaluations(part).mean(axis=1)
    left.set_xscale("log")
    count = part.sizes["policy"]
    handles = []
    for index, name in enumerate(results.variants(part)):
        curves.plot_band(left, spent[index], values[index], name, index, count, band=False)
        look = style.look(name)
        _draw_end(left, spent[index, -1], values[index, :, -1], look)
        handles.append((results.label(part, name), look))
    settled = values.mean(axis=1)[:, min(values.shape[2] - 1, 9) :]
    left.set_ylim(0, 1.08 * settled.max() if settled.max() > 0 else 1)
    left.set_xlim(10 if spent.min() < 10 < spent.max() else spent.min(), 1.15 * spent.max())
    left.set_xlabel("evaluations so far: plays + expert queries")
    left.set_ylabel(curves.with_units("average regret  $R_t/t$", part))
    _draw_schedules(right, part)
    style.title_above(figure, results.title(part))
    style.legend_below(figure, handles, columns=3, left=0.62, top=0.86)
    return figure


def caption(collected: xr.Dataset, parameters: Parameters) -> str:
    """Caption of the figure."""
    part = _shown(collected)
    runs = part.sizes["seed"]
    band = (
        f"Lines are means over {runs} runs; for clarity there is no band but, at the end, a bar"
        " for the 95 % confidence interval of the mean (Student t)."
        if runs > 1
        else "Lines show a single run, so there are no intervals."
    )
    return (
        f"{results.title(part)}, {results.data_words(part)}. Left: average regret of the plays"
        " against the number of all evaluations so far, plays and expert queries together"
        " (logarithmic axis). The large marker is the end of the run, after the same"
        f" {part.sizes['round']} {results.round_label(part)}s for every method. {band} Right:"
        " expert queries per round so far, from the schedules alone (6 log t a query round, at"
        f" most t; W-SparQ windows with alpha_tilde = {ALPHA_TILDE:g}); the dotted line is the"
        " horizon of this experiment."
    )


def _draw_end(axes: Axes, spent: float, final: np.ndarray, look: style.Look) -> None:
    """A large marker and the confidence interval at the end of a curve."""
    half = half_width(final)
    axes.errorbar(
        [spent],
        [final.mean()],
        yerr=[half] if np.isfinite(half) else None,
        linestyle="",
        color=look.colour,
        elinewidth=1.2,
        capsize=2.5,
        zorder=6,
        **look.point() | {"markersize": 6.5},
    )


def _shown(collected: xr.Dataset) -> xr.Dataset:
    """The papers' methods, added ones, and controls that spend as much."""
    part = results.at_alpha(collected)
    added = [name for name in results.variants(part) if name not in style.LOOKS]
    return curves.chosen(part, [*curves.PUBLISHED, *added, *SPENDERS, "uniform"])


def _draw_schedules(axes: Axes, part: xr.Dataset) -> None:
    """Queries per round N_t / t of SparQ and of W-SparQ for several drift exponents."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    t = np.unique(np.geomspace(3, FAR, 160).astype(int))
    dense = t[t <= 10**5]
    every = query_counts.sparq_total(dense) / dense
    look = style.look("sparq_gp_ucb")
    axes.plot(dense, every, **look.curve())
    _name_curve(axes, dense[-1], every[-1], "SparQ", "right")
    blue = style.look("w_sparq_gp_ucb")
    for alpha, line in {0.5: style.DOTTED, 1.0: "-", 2.0: style.DASHED}.items():
        so_far = query_counts.w_sparq_total(t, alpha, ALPHA_TILDE) / t
        axes.plot(t, so_far, color=blue.colour, linestyle=line, linewidth=1.3)
        at = np.searchsorted(t, 10**4.1)
        _name_curve(axes, t[at], so_far[at], f"W-SparQ, $\\alpha$ = {alpha:g}", "left")
    axes.axvline(part.sizes["round"], color="#7f7f7f", linewidth=0.8, linestyle=style.DOTTED)
    axes.set_xlim(3, FAR)
    axes.set_ylim(top=150)
    axes.set_xlabel("t")
    axes.set_ylabel("expert queries per round  $N_t/t$")
    axes.set_title("Queries a round")


def _name_curve(axes: Axes, x: float, y: float, text: str, align: str) -> None:
    axes.annotate(text, (x, y), xytext=(0, 4), textcoords="offset points", ha=align, va="bottom", fontsize=7)
