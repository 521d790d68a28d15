"""Regret against the drift rate, of the policy that knows f_{t-1} and of the algorithms (Bogunovic16,
Theorem 4.1)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, markov, style
from tvgp.study.papers.bogunovic16 import LABELS

KNOWN = style.Look(style.INK, "-", "o")
ORDER = style.Look(style.INK, style.DOTTED, "", width=1.0)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per kernel."""
    known = next(data for data in collected if results.is_analysis(data))
    kernels = markov.by_kernel(collected)
    title = "Full information of the past leaves regret proportional to $ε$ (Bogunovic16, Theorem 4.1)"
    figure, (panels,) = style.panels(3.3, 1, len(kernels), title, sharey=True)
    for axes, (kernel, parts) in zip(panels, kernels.items(), strict=True):
        regret = known.regret.sel(part=kernel).mean("seed")
        epsilons = regret.epsilon.values
        axes.plot(epsilons, regret, **KNOWN.marked())
        factor = float(np.exp(np.log(regret / epsilons).mean()))
        axes.plot(epsilons, factor * epsilons, **ORDER.curve())
        for name in LABELS:
            look = style.look(name)
            values = [results.final_average(part, name).mean() for part in parts.values()]
            axes.plot(list(parts), values, color=look.colour, linestyle=":", linewidth=0.8, **look.point())
        axes.set(xscale="log", yscale="log", xlabel="epsilon", title=markov.KERNELS[kernel])
        axes.text(0.97, 0.05, f"dotted: {factor:.2f} $ε$", transform=axes.transAxes, ha="right", fontsize=7)
    panels[0].set_ylabel("average regret  $R_T/T$")
    entries = [KNOWN.handle("knows $f$ at $t - 1$"), ORDER.handle("proportional to $ε$")]
    entries += [style.Look(style.look(n).colour, ":", style.look(n).marker).handle(LABELS[n]) for n in LABELS]
    style.legend(figure, entries, 5)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    known = next(data for data in collected if results.is_analysis(data))
    runs = curves.sizes(results.experiments(collected), "seed")
    return (
        "Average regret against the drift rate of the policy that plays the maximiser of the last function,"
        " which it knows exactly; by the proof of Theorem 4.1 no algorithm has less expected regret. Mean"
        f" over {known.sizes['seed']} draws and rounds 2 to $T$, and the line through it proportional to"
        f" $ε$. The algorithms, which see one noisy value per round: means over {runs} trials. No band."
    )
