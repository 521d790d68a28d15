"""Cost of SparQ and W-SparQ: operations as the papers count them, and measured CPU time (Mauduit25a,
Theorem 3.2; Mauduit25b, Theorem 3.6 and section 3.3)."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results.step_cost import slope

_RED, _BLUE = Colour.VERMILION, Colour.BLUE
TIMED: dict[str, tuple[style.Look | str, str]] = {  # look, or the variant whose look it has
    "gp_ucb_textbook": (style.Look(Colour.BLACK, "-", "s"), "GP-UCB, anew"),
    "gp_ucb": ("gp_ucb", "GP-UCB, appending"),
    "sparq_swap": ("sparq_gp_ucb", "SparQ, swaps"),
    "sparq_exact": (style.Look(_RED, style.DOTTED, "P", filled=False), "SparQ, exact DPP"),
    "w_sparq_25": ("w_sparq_gp_ucb", "W-SparQ"),
}
_LATE = 6  # points of a slope


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: counts against T, seconds against T."""
    counts, times = (data.isel(part=0) for data in collected)
    figure, ((total, seconds),) = style.panels(3.1, 1, 2, "Cost of SparQ and W-SparQ")
    rounds = counts["round"].values
    ours = counts.sel(alpha=1.0, alpha_tilde=0.25)
    curves = {
        "SparQ": (counts.sparq, style.look("sparq_gp_ucb").bare()),
        "SparQ, bound": (counts.sparq_bound, style.Look(_RED, style.DOTTED, "")),
        "W-SparQ, DPP": (ours.dpp, style.look("w_sparq_gp_ucb").bare()),
        "W-SparQ, regressions": (ours.regressions, style.Look(_BLUE, style.DASHED, "")),
        "W-SparQ, bound": (ours.bound, style.Look(_BLUE, style.DOTTED, "")),
    }
    for values, look in curves.values():
        total.plot(rounds, values, **look.curve())
    total.set(xscale="log", yscale="log", xlabel="rounds  $T$", ylabel="operations, constants 1")
    total.set_title("Counted")
    style.label_ends(total, [(float(v[-1]), name, look) for name, (v, look) in curves.items()], size=6.5)
    ends = []
    for name, (shown, label) in TIMED.items():
        look = style.look(shown)
        taken = times.seconds.sel(algorithm=name).mean("seed").values
        seconds.plot(times.step, taken, markevery=4, **look.marked())
        ends.append((float(taken[-1]), f"{label}: {slope(times.step.values, taken, _LATE):z.1f}", look))
    seconds.set(xscale="log", yscale="log", xlabel="rounds  $T$", ylabel="CPU seconds", title="Measured")
    style.label_ends(seconds, ends, size=6.5)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    times = collected[1]
    runs = times.sizes["seed"]
    return (
        r"Left: operations up to round $T$ as the papers count them, $6 \log t$ inputs per DPP, constants 1,"
        " and the order of their bounds (dotted); W-SparQ with $α = 1$, window exponent 1/4. The DPPs, which"
        " the bound for W-SparQ leaves out, cost far more than the regressions. Right: CPU time of the"
        " policies' own calls, one"
        f" thread, {times['step'].values[-1]:,} rounds, {'one run' if runs == 1 else f'{runs} runs'}, no"
        " band; numbers beside the names are slopes over the last points. Anew: from all data every"
        " round. Swaps: greedy start and 1,000 steps; W-SparQ with $α = 1$, window exponent 1/4. The"
        " theorems count a chain that lengthens with $t$ and rows of all $t$ inputs; the"
        " policies' DPP is over distinct inputs, of which there are few."
    )
