"""Regret against the length of the swap chain that draws SparQ's and W-SparQ's queries."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp import dpp
from tvgp.study import results
from tvgp.study.figures.base import curves, grid, style
from tvgp.study.papers import mauduit25a
from tvgp.study.results import subsets

TICKS = ("0", *map(str, subsets.STEPS), "exact")
TITLES = {
    "rkhs_sine": "Sine function",
    "rkhs_sine_rooted": "Sine function, rooted",
    "berkeley_france": "Temperature in France",
    "ageing_subsets": "Ageing observations",
    "drift_subsets": "Drifting objective",
}
COLUMNS = 3
RANDOM = style.Look(style.SOFT_INK, style.DASHED, "")
OTHER = style.Look(style.INK, "-", "", width=0.9)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a panel for each experiment and test bed."""
    title = "Regret against the number of swap steps (Mauduit25a, App. A)"
    figure, panels = grid.panels(len(collected), COLUMNS, (0.95, 2.1), title, ylabel="regret per round")
    for axes, data in zip(panels, collected, strict=True):
        _panel(axes, data)
    entries = [style.entry(method) for method in subsets.METHODS]
    entries.append(RANDOM.handle("random subset"))
    if any(_best_baseline(results.at_alpha(data)) for data in collected):
        entries.append(OTHER.handle("best baseline of the paper"))
    style.legend(figure, entries, 4)
    return figure


def _panel(axes: Axes, data: xr.Dataset) -> None:
    part = results.at_alpha(data)
    for shift, method in zip((-0.06, 0.06), subsets.METHODS, strict=True):
        look = style.look(method)
        runs = {x: subsets.regret(part, method, rule) for x, rule in enumerate(subsets.CHAIN)}
        shown = {x: values for x, values in runs.items() if values is not None}
        places = np.array(list(shown)) + shift
        means = [values.mean() for values in shown.values()]
        samples = [results.joined(part, values) for values in shown.values()]
        bars = np.array([curves.bars(values) for values in samples]).reshape(-1, 2).T
        axes.errorbar(places, means, yerr=bars, elinewidth=0.9, zorder=3, **look.marked())
        random = subsets.regret(part, method, "random")
        if random is not None:
            axes.axhline(random.mean(), zorder=1, **RANDOM.curve() | {"color": look.colour})
    best = _best_baseline(part)
    if best is not None:
        axes.axhline(results.final_average(part, best).mean(), zorder=1, **OTHER.curve())
    axes.set_xticks(range(len(TICKS)), TICKS)
    axes.set_xlim(-0.3, len(TICKS) - 0.7)
    low, high = axes.get_ylim()
    if low < 0.5 * high:
        axes.set_ylim(bottom=0)
    axes.set(xlabel="steps of the chain", title=TITLES.get(results.name(data), results.title(data)))


def _best_baseline(part: xr.Dataset) -> str | None:
    """Of those that the paper compares with, the one of least mean regret; none in a test bed."""
    if results.is_analysis(part):
        return None
    played = [name for name in mauduit25a.BASELINES if name in part.policy.values]
    return min(played, key=lambda name: results.final_average(part, name).mean(), default=None)


def theorem_steps(data: xr.Dataset) -> int | None:
    """Steps of the chain in the last round of an experiment that Mauduit25a's proof asks for: total
    variation eps_T = sigma^2 eta / (4 T M_k^2) of its (56) at the largest eta of its Prop. 3, 1/5, by
    Lemma 9 of Burt et al. 2020. None for a test bed, an empirical kernel or without SparQ.
    """
    fit = results.fit(data)
    variance = fit.get("kernel", {}).get("variance")
    if variance is None or "sparq_gp_ucb" not in data.policy.values:
        return None
    horizon = data.sizes["round"]
    played = data.arm.sel(policy="sparq_gp_ucb").transpose("seed", "round").values
    most = max(len(np.unique(arms)) for arms in played)
    size = int(results.of(data, "expert_queries", "sparq_gp_ucb").values[..., -1].max())
    error = fit["noise_variance"] / 5 / (4 * horizon * variance)
    return dpp.mixing_steps(most, min(size, most), min(error, 0.5))


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    runs = ", ".join(
        f"{TITLES.get(results.name(data), results.title(data))}: {data.sizes['seed']} runs of"
        f" {data['round'].values[-1] if results.is_analysis(data) else data.sizes['round']:,} rounds on"
        f" {results.data_words(data)}"
        + (f" (bars over {results.sample_words(data)})" if "block" in data.attrs else "")
        for data in collected
    )
    bars = curves.bands_text(*(data.sizes["seed"] for data in collected)).replace("bands", "bars")
    asked = {results.name(data): theorem_steps(results.at_alpha(data)) for data in collected}
    counts = ", ".join(f"{steps:,} ({name})" for name, steps in asked.items() if steps)
    baselines = ", ".join(
        f"{results.label(part, best)} ({results.name(data)})"
        for data in collected
        if (best := _best_baseline(part := results.at_alpha(data)))
    )
    theorem = (
        f" The paper's theorem asks for this many steps in the last round: {counts}; the law is then"
        " within total variation $10^{-5}$ of the exact one."
        if counts
        else ""
    )
    return (
        "Regret per round (test beds: over the last tenth of a run, $α = 1$) against the number of"
        " lazy swap steps that follow the greedy set, which Mauduit25a (App. A, Alg. 2 and 3) does not"
        " print. 0: the greedy set itself; exact: the k-DPP to which the chain converges."
        f"{theorem} Markers are means over runs, {bars}. Dashed, in the colours of the methods: a random"
        " subset of the same size."
        f"{f' Black: the baseline of the paper that has the least regret, {baselines}.' if baselines else ''}"
        f" {runs}."
    )
