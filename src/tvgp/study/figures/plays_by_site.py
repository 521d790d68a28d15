"""How often each method plays each site, beside how often the site is the best one."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures import readings
from tvgp.study.figures.base import style
from tvgp.study.figures.sites import best_share

SHOWN = 16  # sites
LEFT_OUT = ("oracle", "uniform", "best_fixed_arm")  # which say nothing more than the first row, or nothing
HEIGHT = 0.19  # inches a row


def draw(collected: xr.Dataset) -> Figure:
    """The figure: a row per method, a column per site, the sites that are the best one or played most."""
    labels, shares, order = _shares(collected)
    shown = shares[:, order]
    figure, ((axes,),) = style.panels(1.5 + HEIGHT * len(shown), title=results.title(collected))
    axes.imshow(shown, aspect="auto", cmap="Blues", vmin=0, vmax=max(shown.max(), 0.01))
    for i, j in np.argwhere(shown >= 0.005):
        colour = "white" if shown[i, j] > 0.55 * shown.max() else style.INK
        axes.text(j, i, f"{100 * shown[i, j]:.0f}", ha="center", va="center", fontsize=6.5, color=colour)
    axes.axhline(0.5, color=style.INK, linewidth=0.8)
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    sites = [str(collected.site.values[j]) for j in order]
    axes.set_xticks(range(len(sites)), sites, rotation=50, ha="right", rotation_mode="anchor", fontsize=7)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_xlabel("site")
    return figure


def caption(collected: xr.Dataset) -> str:
    """Caption of the figure."""
    part = results.at_alpha(collected)
    _, shares, order = _shares(collected)
    left = part.sizes["arm"] - len(order)
    rest = f"; {left} sites that are rarely either are left out" if left else ""
    word, runs = results.round_label(part), part.sizes["seed"]
    return (
        f"{results.title(part)}: percent of the {part.sizes['round']} {word}s in which a site is the best one"
        f" (first row), and in which each method plays it (mean over {runs} runs), sites in the order of the"
        f" first row{rest}. Empty cells are below 0.5 %. On {results.data_words(part)}. Shares of one record,"
        " so there is no band."
    )


def _shares(collected: xr.Dataset) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Labels of the rows, shares (rows, sites), and the sites shown."""
    part = results.at_alpha(collected)
    names = [name for name in results.variants(part) if name not in LEFT_OUT]
    sites = part.sizes["arm"]
    best = best_share(readings.values(collected))
    played = [np.bincount(results.of(part, "arm", n).values.ravel(), minlength=sites) for n in names]
    shares = np.array([best, *(counts / max(counts.sum(), 1) for counts in played)])
    weight = shares.max(axis=0)
    kept = np.argsort(-weight, kind="stable")[:SHOWN]
    kept = kept[weight[kept] > 0]
    order = kept[np.argsort(-best[kept], kind="stable")]
    return ["the best site", *(results.label(part, n) for n in names)], shares, order
