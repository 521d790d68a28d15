"""Error of the best decision against the number of queries per round (Mauduit25b, Theorem 5.3)."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour

# variable, number of main evaluations per round, title
COLUMNS = (
    ("error", 0, "Queries alone, uniform"),
    ("adaptive_error", 0, "Queries alone, adaptive"),
    ("adaptive_error", 1, "With main evaluations"),
)
COLOURS = (Colour.BLUE, Colour.GREEN, Colour.WINE, Colour.BROWN)  # of drift exponents
MARKERS = ("o", "s", "^", "D")
BURSTS = "bursts"  # the schedule that does not spread its queries
KINDS = {
    "spread over the rounds": style.Look(style.INK, "-", ""),
    "ten bursts": style.Look(style.INK, style.DASHED, ""),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a panel for each kind of queries."""
    data = collected[0]
    title = "How often the best decision fails, by number of queries (Mauduit25b, Theorem 5.3)"
    figure, (panels,) = style.panels(3.1, 1, 3, title, sharex=True, sharey=True)
    looks = [style.Look(colour, "-", marker) for colour, marker in zip(COLOURS, MARKERS, strict=True)]
    for axes, (kind, main, label) in zip(panels, COLUMNS, strict=True):
        for look, alpha in zip(looks, data.alpha.values, strict=False):
            for bursts, line in zip((False, True), KINDS.values(), strict=True):
                parts = [part for part in map(str, data.part.values) if (part == BURSTS) == bursts]
                share, error = _curve(data.sel(part=parts, alpha=alpha, main=main), kind)
                shown = style.Look(look.colour, line.line, look.marker, filled=not bursts)
                axes.plot(share, error, markersize=4, **shown.marked())
        axes.axvline(1, color=style.INK, linewidth=0.8, zorder=1)
        axes.set(title=label, xscale="log", ylim=(-0.03, 1.05), xlabel="queries per round  $N_T / T$")
    panels[0].set_ylabel("probability of a wrong choice")
    entries = [look.handle(f"$α = {alpha:g}$") for look, alpha in zip(looks, data.alpha.values, strict=False)]
    style.legend(figure, entries + [look.handle(label) for label, look in KINDS.items()], 5)
    return figure


def _curve(data: xr.Dataset, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Queries per round, rising, and the mean error over horizons, schedules, times and repetitions."""
    error = data[kind].mean(("seed", "time")).transpose("part", "horizon", ...).values
    share = (data.queries / data.horizon).transpose("part", "horizon", ...).values
    known = np.isfinite(share) & np.isfinite(error)
    steps = np.round(4 * np.log10(np.maximum(share[known], 1e-9)))  # four places to a decade
    places = np.unique(steps)
    return (
        np.array([share[known][steps == place].mean() for place in places]),
        np.array([error[known][steps == place].mean() for place in places]),
    )


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    horizons = ", ".join(f"{h:,}" for h in data.horizon.values)
    return (
        "Probability that the most probable function is not the true one, $f$ uniform on"
        f" {int(np.nanmax(data.functions))} bumps, from observations whose noise variance at time $τ$ is"
        rf" $σ^2(1 + \mathrm{{lag}}^α)$, against the number of queries per round; vertical line: $N_T = T$."
        " Queries at uniformly random centres, then at the centre with the largest upper bound; right, the"
        " theorem's setting: one main evaluation in every round as well, where the upper bound is largest."
        f" Means over $T = {horizons}$, the second half of a run and {data.sizes['seed']} repetitions; solid:"
        " over evenly spaced queries and W-SparQ's times; dashed: ten bursts; no band."
    )
