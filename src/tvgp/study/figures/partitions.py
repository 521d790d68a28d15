"""Regret of pi-GP-UCB against T beside Theorem 3 and the lower bound, and its number of cells beside
Lemmas 2 and 6 (Janz20, sections 1, 3 and 4)."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import curves, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.papers.janz20 import SMOOTHNESS
from tvgp.theory.partitions import lower_exponent, partition_exponent, regret_exponent

# Parts of the analysis are named d{d} and one of these.
REGRETS = {
    "": ("regret, $ν = 3/2$", style.Look(Colour.BLUE, "-", "H")),
    "_m52": ("regret, $ν = 5/2$", style.Look(Colour.PURPLE, style.LONG_DASHED, "p", filled=False)),
}
RATES = {
    "slope of Theorem 3, $ν = 3/2$": (regret_exponent, style.Look(Colour.VERMILION, style.DASHED, "")),
    "slope of the lower bound": (lower_exponent, style.Look(Colour.WINE, style.DOTTED, "")),
}
CELLS = {
    "": ("cells, of $T^q$ at first", style.Look(Colour.BLUE, "-", "o")),
    "_whole": ("cells, of one at first", style.Look(Colour.GREEN, style.DASH_DOT, "o")),
}
LIMIT = style.Look(style.INK, style.DASHED, "", width=1.0)
MADE = style.Look(style.SOFT_INK, style.DOTTED, "", width=1.0)


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a column for each d, regret above, cells below."""
    data = collected[0]
    dimensions = sorted({int(d) for d in data.d.values})
    title = "π-GP-UCB on functions in a Matérn RKHS (Janz20, Theorem 3, Lemmas 2 and 6)"
    figure, panels = style.panels(5.2, 2, len(dimensions), title, sharey="row")
    for (above, below), d in zip(panels.T, dimensions, strict=True):
        names = [name for name in CELLS | REGRETS if f"d{d}{name}" in data.part.values]
        parts = {name: data.sel(part=f"d{d}{name}") for name in names}
        rounds, steps = data["rounds"].values, data["step"].values
        for name in filter(parts.__contains__, REGRETS):
            regret = parts[name].regret.transpose("seed", "rounds").values
            curves.draw_mean(above, rounds, regret, REGRETS[name][1], extremes=True, markersize=4)
        start = float(parts[""].regret.mean("seed")[0])
        for exponent, look in RATES.values():
            above.plot(rounds, start * (rounds / rounds[0]) ** exponent(d, SMOOTHNESS), **look.curve())
        for name in filter(parts.__contains__, CELLS):
            look = CELLS[name][1]
            present = parts[name].present.transpose("seed", "step").values
            curves.draw_mean(below, steps, present, look.bare(), extremes=True)
            made = parts[name].made.mean("seed").values
            below.plot(rounds, made, linestyle="", markersize=3.6, **look.point())
        below.plot(steps, parts[""].limit.values, **LIMIT.curve())
        made = float(parts[""].made.mean("seed")[0])
        below.plot(rounds, made * (rounds / rounds[0]) ** partition_exponent(d, SMOOTHNESS), **MADE.curve())
        above.set(title=f"$d = {d}$", xlabel="rounds $T$")
        below.set_xlabel("round $t$, rounds $T$")
        for axes in (above, below):
            axes.set(xscale="log", yscale="log")
        style.x_ticks(above, rounds, ",")
        below.set_ylim(1, 20 * float(data.made.max()))
    panels[0, 0].set_ylabel("regret $R_T$")
    panels[1, 0].set_ylabel("number of cells")
    entries = [look.handle(label) for label, look in REGRETS.values()]
    entries += [look.handle(label) for label, (_, look) in RATES.items()]
    entries += [look.handle(label) for label, look in CELLS.values()]
    entries += [LIMIT.handle("$N_t$, Lemma 6"), MADE.handle("slope q, Lemma 2")]
    style.legend(figure, entries, 4)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    data = collected[0]
    rounds = ", ".join(f"{T:,}" for T in data["rounds"].values)
    return (
        f"Separate runs of $T = {rounds}$ rounds on {data.sizes['seed']} functions on $30^d$ points; means,"
        " bands from the lowest to the highest run. Above: regret; the exponents of Theorem 3 and of the"
        " lower bound for all algorithms (Scarlett et al. 2017) are drawn as slopes from the first"
        " mean, so that only directions are comparable; both are about the worst function. Below: the"
        " number of cells in the longest run after $t$ rounds, from a first partition of about $T^q$ cells"
        " and from the whole domain; dots are all cells ever made in a run of $T$ rounds, which Lemma 2"
        " bounds by a multiple of $T^q$. $N_t = 4 (t+1)^{bd}$, which Lemma 6 claims to bound the number of"
        " cells, is smaller than the first partition in the first rounds."
    )
