"""Benefit of expert queries: average regret against the number of all evaluations."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, style
from tvgp.study.results.statistics import Estimate

SPENDERS = (
    "sparq_domain_greedy",
    "w_sparq_domain_greedy",
    "sparq_random_subset",
)


def draw(collected: xr.Dataset) -> Figure:
    """The figure."""
    part = _shown(collected)
    values = results.average_regret(part)
    spent = results.evaluations(part).mean(axis=1)
    names = results.variants(part)
    finals = [results.average(part, name) for name in names]
    figure, ((axes,),) = style.panels(4.6, title=results.title(part))
    axes.set_xscale("log")
    ends = _beside(spent[:, -1])
    for index, name in enumerate(names):
        curves.plot_band(axes, spent[index], values[index], name, index, len(names), band=False)
        _draw_end(axes, ends[index], finals[index], style.look(name))
    settled = values.mean(axis=1)[:, min(values.shape[2] - 1, 9) :]
    shown = np.append(settled, [(final.low, final.high) for final in finals])
    low, high = np.nanmin(shown), np.nanmax(shown) if np.nanmax(shown) > 0 else 1
    axes.set_ylim(low - 0.1 * (high - low) if low > 0.5 * high else 0, high + 0.08 * (high - low))
    axes.set_xlim(10 if spent.min() < 10 < spent.max() else spent.min(), 1.15 * max(ends))
    axes.set_xlabel("evaluations so far: plays + expert queries (from 10)")
    axes.set_ylabel(curves.with_units("average regret  $R_t/t$", part))
    style.legend(figure, [style.look(name).handle(results.label(part, name)) for name in names], 3)
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    part = _shown(collected)
    runs = part.sizes["seed"]
    band = (
        f"Lines are means over {runs} runs; for clarity there is no band but, at the end, a bar"
        f" for the 95 % confidence interval of the mean (Student $t$ over {results.sample_words(part)})."
        if runs > 1 or "block" in part.attrs
        else "Lines show a single run, so there are no intervals."
    )
    return (
        f"{results.title(part)}, {results.data_words(part)}. Average regret of the plays"
        " against the number of all evaluations so far, plays and expert queries together"
        " (logarithmic axis). The large marker is the end of the run, after the same"
        f" {part.sizes['round']} {results.round_label(part)}s for every method; where"
        f" methods end with equal evaluations, side by side. {band}"
    )


def _beside(spent: np.ndarray) -> np.ndarray:
    """Places of the end markers: equal numbers of evaluations side by side."""
    places = spent.astype(float)
    for count in np.unique(spent):
        same = np.flatnonzero(spent == count)
        places[same] *= 1.045 ** np.arange(len(same))
    return places


def _draw_end(axes: Axes, spent: float, final: Estimate, look: style.Look) -> None:
    """A large marker and the confidence interval at the end of a curve."""
    axes.errorbar(
        [spent],
        [final.mean],
        yerr=[[final.mean - final.low], [final.high - final.mean]] if np.isfinite(final.high) else None,
        linestyle="",
        color=look.colour,
        elinewidth=1.2,
        capsize=2.5,
        zorder=6,
        **look.point() | {"markersize": 6.5},
    )


def _shown(collected: xr.Dataset) -> xr.Dataset:
    """The published methods, added policies, and controls that spend as much."""
    part = results.at_alpha(collected)
    return curves.chosen(part, [*curves.published(part), *SPENDERS, "uniform"])
