"""Simple regret of batch Thompson sampling on continuous benchmark functions, over evaluations."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import curves, style

FUNCTIONS = {"shekel": "Shekel, $d = 4$", "ackley": "Ackley, $d = 5$", "hartmann": "Hartmann, $d = 6$"}
METHODS = {
    "s_gp_ts": "S-GP-TS, paths maximised by gradient ascent",
    "gp_ts": "GP-TS (exact), 1,000 candidates",
    "uniform": "uniform random",
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: one panel per function."""
    (data,) = collected
    functions = [name for name in FUNCTIONS if name in data.function.values]
    methods = METHODS | {name: name for name in data.method.values if name not in METHODS}
    figure, panels = style.panels(
        3.2, 1, len(functions), "Simple regret of Thompson sampling on a box (Vakili21)"
    )
    initial = int(np.ravel(data.initial)[0])
    x = data.evaluation.values
    start = style.Look(style.SOFT_INK, style.DOTTED, "", width=0.8)
    for axes, name in zip(panels[0], functions, strict=True):
        high, least = 0.0, np.inf
        for index, method in enumerate(methods):
            values = _values(data, name, method)
            if values is None:
                continue
            marks = curves.stagger(len(x), index, len(methods))
            mean = curves.draw_mean(axes, x, values, style.look(method), least=0.0, markevery=marks)
            high = max(high, mean[min(initial, len(mean)) - 1], mean[0])
            least = min(least, mean.min())
        axes.axvline(initial, **start.curve())
        axes.set_xlim(1, x[-1])
        axes.set_ylim(0.9 * least if least > 0.5 * high else 0, 1.1 * high)
        axes.set_title(FUNCTIONS[name])
        axes.set_xlabel("evaluations")
    panels[0, 0].set_ylabel("simple regret")
    entries = [style.look(method).handle(text) for method, text in methods.items()]
    style.legend(figure, [*entries, start.handle("end of the initial design")], 2)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    initial, batch = (int(np.ravel(data[name])[0]) for name in ("initial", "batch"))
    return (
        "Simple regret, the optimum less the best noise-free value among the points evaluated so"
        f" far, on synthetic rewards with noise variance 0.5. {curves.runs_text(data.sizes['seed'])}"
        f" {initial} random initial points (dotted line), the same for all methods, then batches of"
        f" {batch} independent draws. Sparse Thompson sampling refits its kernel before"
        " each batch; exact Thompson sampling keeps a fixed kernel and chooses among the initial points and"
        " 1,000 spread points."
    )


def _values(data: xr.Dataset, function: str, method: str) -> np.ndarray | None:
    """Simple regret (seed, evaluation) of a method on a function, None where it was not run."""
    here = (data.function.values == function) & (data.method.values == method)
    if not here.any():
        return None
    simple = data.simple_regret.transpose("part", "seed", "evaluation").values
    return simple[np.flatnonzero(here)[0]]
