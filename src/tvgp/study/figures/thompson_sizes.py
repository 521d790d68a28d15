"""Regret of sparse Thompson sampling against the number of inducing variables and, where times are
given, against wall time, beside exact Thompson sampling (Vakili21, section 5.4)."""

from __future__ import annotations

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


def _members(data: xr.Dataset, d: int, series: str) -> list[tuple[int, int]]:
    """(part, size) of a series ("exact" or the kind of variables) in order of m."""
    members: list[tuple[int, int]] = []
    for part, name in enumerate(map(str, data.part.values)):
        if name == f"{series}_{d}d":
            sizes = np.flatnonzero(np.isfinite(data.inducing.values[part])).tolist()
            members += [(part, size) for size in sizes]
    return sorted(members, key=lambda at: data.inducing.values[at])


def _fraction(data: xr.Dataset, at: tuple[int, int]) -> tuple[float, float]:
    """Mean and half width of R_T over the mean of random play's."""
    scale = float(data.uniform_regret.values[at[0]].mean())
    runs = data.regret.transpose("part", "size", "seed").values[at]
    return float(runs.mean()) / scale, float(half_width(runs)) / scale


def _draw_sizes(axes: Axes, data: xr.Dataset, d: int) -> None:
    axes.set_xscale("log")
    (exact,) = _members(data, d, "exact")
    mean, half = _fraction(data, exact)
    look = style.look("gp_ts")
    if np.isfinite(half):
        axes.axhspan(mean - half, mean + half, color=look.colour, alpha=0.15, linewidth=0)
    axes.axhline(mean, **look.curve())
    sizes = set()
    for series, variant in SERIES.items():
        members = _members(data, d, series)
        m = [float(data.inducing.values[at]) for at in members]
        beside = 1 / 1.02 if series == "points" else 1.02
        _points(axes, data, members, variant, [beside * size for size in m])
        sizes |= set(map(int, m))
    rule = float(data.rule.values[exact[0]])
    axes.axvline(rule, zorder=1, **RULE.curve())
    style.x_ticks(axes, sorted(sizes))
    axes.set_xlim(min(sizes) / 1.3, max(sizes) * 1.3)
    axes.set_xlabel("inducing variables  $m$")
    axes.set_title(f"$d = {d}$, {_horizon(data)} rounds")


def _draw_seconds(axes: Axes, data: xr.Dataset, seconds: xr.Dataset, d: int) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.set(xlabel="wall time of a run (s)", title=f"$d = {d}$")
    mean = seconds.seconds.mean("seed").transpose("part", "size")
    labels: list[tuple[float, float, float, str]] = []
    for series, variant in {"exact": "gp_ts", **SERIES}.items():
        members = _members(data, d, series)
        parts = [str(data.part.values[part]) for part, _ in members]
        sizes = [str(data["size"].values[size]) for _, size in members]
        x = [float(mean.sel(part=p, size=s)) for p, s in zip(parts, sizes, strict=True)]
        _points(axes, data, members, variant, x, joined=False)
        if series != "exact":
            colour = style.look(variant).colour
            labels += [
                (seconds_at, _fraction(data, at)[0], data.inducing.values[at], colour)
                for at, seconds_at in zip(members, x, strict=True)
            ]
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


def _points(
    axes: Axes,
    data: xr.Dataset,
    members: list[tuple[int, int]],
    variant: str,
    x: list[float],
    joined: bool = True,
) -> None:
    look = style.look(variant)
    curve = look.curve() if joined else {"color": look.colour, "linestyle": ""}
    mean, half = np.array([_fraction(data, at) for at in members]).reshape(-1, 2).T
    axes.errorbar(
        x,
        mean,
        np.where(np.isfinite(half), half, 0.0),
        elinewidth=1.0,
        capsize=2,
        zorder=4,
        **curve,
        **look.point(),
    )
