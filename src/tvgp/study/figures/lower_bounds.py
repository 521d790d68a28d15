"""Error of the best decision against the precision of the data and against numbers of queries
(Mauduit25b, Theorem 5.3)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import schedules, style

ACROSS = True
# variable, number of main evaluations per round, label
ROWS = (
    ("error", 0, "queries alone, uniform"),
    ("adaptive_error", 0, "queries alone, adaptive"),
    ("adaptive_error", 1, "with main evaluations"),
)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: without main evaluations above, in the theorem's setting below."""
    data = collected[0]
    title = "Best decision at a frozen horizon (Mauduit25b, Theorem 5.3)"
    figure, panels = style.panels(6.6, 3, 3, title, sharex="col", sharey=True)
    for (precision, threshold, linear), (kind, main, label) in zip(panels, ROWS, strict=True):
        for part in map(str, data.part.values):
            for index, alpha in enumerate(data.alpha.values):
                at = data.sel(part=part, alpha=alpha, main=main)
                error = at[kind].mean("seed")
                small = schedules.point(part, index, markersize=2.2, alpha=0.45)
                precision.plot(at.precision.values.ravel(), error.values.ravel(), **small)
                horizon = at.horizon.values[:, None].astype(float)
                point = schedules.point(part, index, markersize=3.6, alpha=0.8)
                for axes, scale in ((threshold, horizon ** (alpha / (alpha + 1))), (linear, horizon)):
                    axes.plot((at.queries.values / scale).ravel(), error.mean("time").values.ravel(), **point)
        precision.set_ylabel(f"error, {label}")
    labels = ("precision of the data", "$N_T / T^{α/(α+1)}$", "$N_T / T$")
    for axes, label in zip(panels[-1], labels, strict=True):
        axes.set(xscale="log", ylim=(-0.03, 1.05), xlabel=label)
    panels[0, 0].set_xlim(left=0.1)
    style.legend(figure, schedules.entries(data), 6)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    horizons = ", ".join(f"{h:,}" for h in data.horizon.values)
    return (
        "Probability that the most probable function is not the true one, $f$ uniform on"
        f" {int(np.nanmax(data.functions))} bumps, from observations whose noise variance at time $τ$ is"
        rf" $σ^2(1 + \mathrm{{lag}}^α)$, for $T = {horizons}$ and three schedules of $N_T$ queries. Left:"
        rf" against the"
        " precision of the data at $τ$, the sum of $1/σ_t^2$ in (41), one point per $τ$ in the second half"
        " of the"
        " run: schedules that spread queries over many rounds fall on one curve, bursts scatter, because"
        " few answers then provide the precision. Middle and right: the mean over $τ$ against $N_T$ over"
        " $T^{α/(α+1)}$, the threshold of Theorem 5.3, and over $T$. Above, without the main evaluations:"
        " queries at uniformly random centres, then at the centre with the largest upper bound. Below, the"
        " theorem's setting: one main evaluation in every round as well, all of them where the upper bound"
        f" is largest. Means over {data.sizes['seed']} repetitions; no band."
    )
