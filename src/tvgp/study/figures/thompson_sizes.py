"""Regret of sparse Thompson sampling against the number of inducing variables and, where times are
given, against wall time, beside exact Thompson sampling (Vakili21, section 5.4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tvgp.study.figures.base import style
from tvgp.study.results.statistics import half_width

SERIES = {"points": "s_gp_ts", "features": "s_gp_ts_features"}
RULE = style.Look(style.SOFT_INK, style.DOTTED, "", width=0.8)
LABELS = {"points": "S-GP-TS, inducing points", "features": "S-GP-TS, inducing features"}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row for each dimension, m on the left, wall time on the right; side by side
    without times."""
    regret, seconds = _split(collected)
    dimensions = sorted(set(regret.d.values.astype(int)))
    title = "Regret of sparse Thompson sampling (Vakili21, section 5.4)"
    if seconds is None:
        figure, panels = style.panels(2.95, 1, len(dimensions), title)
        sized = panels[0]
    else:
        figure, panels = style.panels(0.75 + 2.2 * len(dimensions), len(dimensions), 2, title, sharey="row")
        sized = panels[:, 0]
        for axes, d in zip(panels[:, 1], dimensions, strict=True):
            _draw_seconds(axes, regret, seconds, d)
    for axes, d in zip(sized, dimensions, strict=True):
        _draw_sizes(axes, regret, d)
    for axes in panels.flat:
        axes.set_ylim(0, 1.06 * axes.get_ylim()[1])
    for axes in panels[:, 0] if seconds is not None else panels[0]:
        axes.set_ylabel("regret / random play's")
    entries = [style.look("gp_ts").handle("GP-TS (exact)")]
    entries += [style.look(variant).handle(LABELS[name]) for name, variant in SERIES.items()]
    style.legend(figure, [*entries, RULE.handle(r"$m = (\log T)^d$")], 4)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    regret, seconds = _split(collected)
    runs = regret.sizes["seed"]
    bars = (
        f"Markers are means over {runs} runs, bars and the grey band (exact sampling) 95 %"
        " confidence intervals of the mean (Student $t$)"
        if runs > 1
        else "Markers are single runs, without intervals"
    )
    return (
        f"Cumulative regret after {_horizon(regret)} rounds as a fraction of that of uniformly"
        " random play, on synthetic rewards: functions in the RKHS of the squared exponential with"
        f" $l = 0.2$ on a grid. {bars}; all methods have the same functions and noise."
        f" {'Against' if seconds is None else 'Left: against'} the number $m$ of inducing variables;"
        r" the dotted line is $m$ by the paper's rule, $(\log T)^d$."
        + (
            ""
            if seconds is None
            else " Right: against the measured wall time of a run on one core,"
            " markers numbered by $m$ where there is room."
        )
    )


def _split(collected: list[xr.Dataset]) -> tuple[xr.Dataset, xr.Dataset | None]:
    regret = [data for data in collected if "regret" in data]
    if not regret:
        raise ValueError("thompson_sizes: no results with regret; expected analysis thompson_sizes")
    return regret[0], next((data for data in collected if "seconds" in data), None)


def _horizon(data: xr.Dataset) -> int:
    return int(np.ravel(data.horizon.values)[0])


def _series(data: xr.Dataset, d: int, name: str) -> xr.Dataset:
    """The sizes of a series ("exact" or a kind of variables) in order of m, with mean and half width of R_T
    over the mean of random play's."""
    own = data.sel(part=f"{name}_{d}d").dropna("size", subset=["inducing"]).sortby("inducing")
    runs, scale = own.regret.transpose("seed", "size").values, float(own.uniform_regret.mean())
    return own.assign(mean=("size", runs.mean(axis=0) / scale), half=("size", half_width(runs) / scale))


def _draw_sizes(axes: Axes, data: xr.Dataset, d: int) -> None:
    axes.set_xscale("log")
    exact = _series(data, d, "exact").squeeze("size")
    mean, half = float(exact["mean"]), float(exact.half)
    look = style.look("gp_ts")
    if np.isfinite(half):
        axes.axhspan(mean - half, mean + half, color=look.colour, alpha=0.15, linewidth=0)
    axes.axhline(mean, **look.curve())
    sizes: set[int] = set()
    for name, variant in SERIES.items():
        series = _series(data, d, name)
        m = series.inducing.values
        beside = 1 / 1.02 if name == "points" else 1.02
        _points(axes, series, style.look(variant), beside * m)
        sizes |= set(m.astype(int).tolist())
    axes.axvline(float(exact.rule), zorder=1, **RULE.curve())
    style.x_ticks(axes, sorted(sizes))
    axes.set_xlim(min(sizes) / 1.3, max(sizes) * 1.3)
    axes.set(xlabel="inducing variables  $m$", title=f"$d = {d}$, {_horizon(data)} rounds")


def _draw_seconds(axes: Axes, data: xr.Dataset, seconds: xr.Dataset, d: int) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.set(xlabel="wall time of a run (s)", title=f"$d = {d}$")
    labels: list[tuple[float, float, float, str]] = []
    for name, variant in {"exact": "gp_ts", **SERIES}.items():
        series, look = _series(data, d, name), style.look(variant)
        x = seconds.seconds.sel(part=f"{name}_{d}d", size=series["size"]).mean("seed").values
        _points(axes, series, replace(look, line=""), x)
        if name != "exact":
            columns = (x, series["mean"].values, series.inducing.values)
            labels += [(*each, look.colour) for each in zip(*columns, strict=True)]
    width = 1.1 * axes.get_xlim()[1]
    axes.set_xlim(0, width)
    taken: list[tuple[float, float]] = []
    height = axes.get_ylim()[1]
    for x_at, y_at, m, colour in labels:
        if all(abs(x_at - a) > 0.05 * width or abs(y_at - b) > 0.08 * height for a, b in taken):
            axes.annotate(
                f"{m:g}", (x_at, y_at), xytext=(5, 3), textcoords="offset points", fontsize=6.5, color=colour
            )
            taken.append((x_at, y_at))


def _points(axes: Axes, series: xr.Dataset, look: style.Look, x: np.ndarray) -> None:
    half = series.half.fillna(0.0).values
    axes.errorbar(x, series["mean"].values, half, elinewidth=1.0, capsize=2, zorder=4, **look.marked())
