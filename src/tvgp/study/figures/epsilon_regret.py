"""Average regret over rounds, a row for each drift rate, a column for each kernel (Bogunovic16,
Fig. 2a and 2b), with the values that the paper's figure shows at its right edge."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import curves, markov, style
from tvgp.study.papers.bogunovic16 import LABELS


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure."""
    kernels = markov.by_kernel(collected)
    every = [part for parts in kernels.values() for part in parts.values()]
    methods = [name for name in LABELS if all(name in part.policy.values for part in every)]
    if not methods:
        raise ValueError("epsilon_regret: none of its methods was run in all of these experiments")
    epsilons = sorted({e for parts in kernels.values() for e in parts})
    title = "Regret under three drift rates (Bogunovic16, Fig. 2a and 2b)"
    figure, panels = style.panels(
        0.9 + 1.6 * len(epsilons), len(epsilons), len(kernels), title, sharex="col", sharey="row"
    )
    for column, (kernel, parts) in zip(panels.T, kernels.items(), strict=True):
        for axes, epsilon in zip(column, epsilons, strict=True):
            if epsilon not in parts:
                continue
            part = results.select(parts[epsilon], *methods)
            rounds = np.arange(1, part.sizes["round"] + 1)
            for index, (name, values) in enumerate(zip(methods, results.average_regret(part), strict=True)):
                curves.plot_band(axes, rounds, values, name, index, len(methods))
                curves.plot_reading(axes, rounds[-1], part, name)
            axes.set_xlim(1, rounds[-1])
        column[0].set_title(markov.KERNELS[kernel])
        column[-1].set_xlabel("round $t$")
    for row, epsilon in zip(panels, epsilons, strict=True):
        row_parts = [parts[epsilon] for parts in kernels.values() if epsilon in parts]
        means = [results.average_regret(results.select(part, *methods)).mean(axis=1) for part in row_parts]
        row[0].set_ylim(0, 1.06 * max(mean[:, 9:].max() for mean in means))
        row[0].set_ylabel(f"$R_t/t$,  $ε = {epsilon:g}$")
    entries = [style.look(name).handle(results.label(every[0], name)) for name in methods]
    paper = style.Look(style.INK, "", "o", filled=False).handle("open markers: read from the paper's figure")
    style.legend(figure, [*entries, paper], 4)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    kernels = markov.by_kernel(collected)
    parts = results.experiments(collected)
    runs = curves.sizes(parts, "seed")
    bands = curves.bands_text(*(part.sizes["seed"] for part in parts))
    notes = []
    for kernel, inside in kernels.items():
        part = inside[min(inside)]
        known = [n for n in ("uniform", "best_fixed_arm") if n in part.policy.values]
        numbers = [f"{results.label(part, n)} {results.final_average(part, n).mean():.2f}" for n in known]
        if numbers:
            notes.append(f"{markov.KERNELS[kernel]}: {', '.join(numbers)}")
    text = (
        "Average regret on functions drawn from the Gauss-Markov model on 50 x 50 arms, $ε$"
        f" known. Lines are means over {runs} trials, {bands}; all"
        " methods have the same functions in a trial. Open markers at the right edge: values read"
        " from the paper's Fig. 2a (squared exponential, in both columns) and 2b."
    )
    if notes:
        text += f" Not drawn, at the last round and the least $ε$: {'; '.join(notes)}."
    return text
