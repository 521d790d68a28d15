"""Mean precision of the answers against the counting bound, which is linear in N_T / T."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import schedules, style


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: precision on the left, regret of the best decision on the right."""
    data = collected[0].sel(main=0)
    title = "A sharper count: precision is bounded by queries per round"
    figure, ((left, right),) = style.panels(3.4, 1, 2, title)
    for part in map(str, data.part.values):
        for index, alpha in enumerate(data.alpha.values):
            at = data.sel(part=part, alpha=alpha)
            per_round = (at.queries.values / at.horizon.values[:, None]).ravel()
            point = schedules.point(part, index, markersize=3.6, alpha=0.8)
            left.plot(per_round, at.mean_precision.values.ravel(), **point)
            right.plot(per_round, at.adaptive_regret.mean(("seed", "time")).values.ravel(), **point)
            if part == data.part.values[0]:
                order = np.argsort(per_round)
                bound = at.counting_bound.values.ravel()[order]
                line = style.Look(style.INK, schedules.LINES[index % 3], "", width=0.8)
                left.plot(per_round[order], bound, **line.curve())
    left.set(xscale="log", yscale="log", xlabel="$N_T / T$", ylabel="mean over $τ$ of the precision $S_τ$")
    right.set(xscale="log", xlabel="$N_T / T$", ylabel="regret per round, adaptive queries")
    largest = float(np.nanmax(data.largest_regret))
    style.reference(right, largest, "largest possible regret", linestyle=style.DOTTED)
    right.set_ylim(-0.03, 1.15 * largest)
    style.legend(figure, schedules.entries(data, bounds=True), 6)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    return (
        "Left: mean over $τ$ of the precision $S_τ$ of all answers, and the bound $C_α N_T / T$ with"
        " $C_α = (1/2 + ζ(α)) / σ^2$ (lines), which holds for every schedule when $α > 1$. By the"
        " argument of Theorem 5.3 regret is then linear whenever $N_T = O(T)$, far more than its"
        " $O(T^{α/(α+1)})$. Right: regret per round of the best decision, with queries that follow"
        " the largest upper bound and without main evaluations; the dotted line is the largest possible"
        f" regret. Means over {collected[0].sizes['seed']} repetitions; no band."
    )
