"""Simple regret of batch Thompson sampling on continuous benchmark functions, over evaluations."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.plugins import NoParameters as Parameters
from tvgp.study.figures.base import style
from tvgp.study.results.statistics import half_width

ACROSS = True
FUNCTIONS = {"shekel": "Shekel, d = 4", "ackley": "Ackley, d = 5", "hartmann": "Hartmann, d = 6"}
METHODS = {
    "s_gp_ts": "S-GP-TS, paths maximised by gradient ascent",
    "gp_ts": "GP-TS (exact), 1,000 candidates",
    "uniform": "uniform random",
}


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a panel for each function."""
    (data,) = collected
    functions = [name for name in FUNCTIONS if name in data.function.values]
    methods = METHODS | {name: name for name in data.method.values if name not in METHODS}
    figure = style.new_figure(3.0)
    initial = int(np.ravel(data.initial)[0])
    x = data.evaluation.values
    for column, name in enumerate(functions):
        high = 0.0
        axes = style.axes_at(figure, 0.5 + 2.3 * column, 0.8, 1.9, 1.85)
        for index, method in enumerate(methods):
            values = _values(data, name, method)
            if values is None:
                continue
            look, mean, half = style.look(method), values.mean(axis=0), half_width(values)
            if np.isfinite(half).all():
                axes.fill_between(x, mean - half, mean + half, color=look.colour, alpha=0.15, linewidth=0)
            high = max(high, mean[min(initial, len(mean)) - 1], mean[0])
            marks = (np.linspace(0.1, 0.9, 5) + 0.05 * index) * (len(x) - 1)
            axes.plot(x, mean, markevery=marks.astype(int).tolist(), **look.curve(), **look.point())
        axes.axvline(initial, color=style.SOFT_INK, linewidth=0.8, linestyle=style.DOTTED)
        axes.set_xlim(1, x[-1])
        axes.set_ylim(0, 1.1 * high)
        axes.set_title(FUNCTIONS[name])
        axes.set_xlabel("evaluations")
        if column == 0:
            axes.set_ylabel("simple regret")
    entries = [(text, style.look(method)) for method, text in methods.items()]
    style.legend_below(figure, entries, 3, 0.3, 0.28)
    return figure


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    (data,) = collected
    runs = data.sizes["seed"]
    band = (
        f"Lines are means over {runs} runs; bands are 95 % confidence intervals of the mean (Student t)."
        if runs > 1
        else "Lines show a single run, so there is no band."
    )
    initial, batch = (int(np.ravel(data[name])[0]) for name in ("initial", "batch"))
    return (
        "Simple regret, the optimum less the best noise-free value among the points evaluated so"
        f" far, on synthetic rewards with noise variance 0.5. {band} {initial} random initial"
        f" points (dotted line), the same for all methods, then batches of {batch} independent"
        " draws. Sparse Thompson sampling refits its kernel before each batch; exact Thompson"
        " sampling keeps a fixed kernel and chooses among the initial points and 1,000 spread ones."
    )


def _values(data: xr.Dataset, function: str, method: str) -> np.ndarray | None:
    """Simple regret (seed, evaluation) of a method on a function, None where it was not run."""
    here = (data.function.values == function) & (data.method.values == method)
    if not here.any():
        return None
    simple = data.simple_regret.transpose("part", "seed", "evaluation").values
    return simple[np.flatnonzero(here)[0]]
