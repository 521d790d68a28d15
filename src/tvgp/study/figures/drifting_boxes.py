"""Average regret on boxes whose rewards move, a row per problem, as shares of that of random play."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study.figures.base import style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look
from tvgp.study.results.statistics import ratio_of_means

PROBLEMS = {
    "paths_2": "drifting paths, $d = 2$",
    "paths_2_fast": "the same, $ε = 0.05$",
    "paths_4": "drifting paths, $d = 4$",
    "paths_8": "drifting paths, $d = 8$",
    "pid": "PID loop, plant drifts",
}
LOOKS = {
    "gp_given": ("GP-UCB, given", Look(Colour.GREY, "", "o")),
    "gp_learnt": ("GP-UCB, learnt", Look(Colour.GREY, "", "o", filled=False)),
    "w_given": ("W-GP-UCB, given", Look(Colour.BLUE, "", "X")),
    "w_learnt": ("W-GP-UCB, learnt", Look(Colour.BLUE, "", "X", filled=False)),
    "st_learnt": ("ST-GP-UCB, learnt", Look(Colour.PURPLE, "", "s", filled=False)),
    "tv_given": ("TV-GP-UCB, given", Look(Colour.GREEN, "", "D")),
    "tv_learnt": ("TV-GP-UCB, learnt", Look(Colour.GREEN, "", "D", filled=False)),
    "tv_given_arms": ("TV-GP-UCB on arms, given", Look(Colour.VERMILION, "", "P")),
    "tv_learnt_arms": ("TV-GP-UCB on arms, learnt", Look(Colour.VERMILION, "", "P", filled=False)),
}


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row per problem, a marker per contender, its line the interval."""
    (data,) = collected
    names = [str(part) for part in data.part.values]
    contenders = [each for each in LOOKS if each in data.contender.values]
    title = "Optimisers on boxes whose rewards move"
    figure, ((axes,),) = style.panels(1.5 + 0.42 * len(names), title=title)
    for place, name in enumerate(names):
        regret = data.regret.sel(part=name).mean("round")
        random = regret.sel(contender="random").values
        for i, each in enumerate(contenders):
            values = regret.sel(contender=each).values
            if values.size and (values == values).all():
                look, y = LOOKS[each][1], place + 0.8 * (i / max(len(contenders) - 1, 1) - 0.5)
                share = ratio_of_means(values, random)
                axes.plot([share.low, share.high], [y, y], color=look.colour, linewidth=0.7)
                axes.plot(share.mean, y, color=look.colour, markersize=3.5, **look.point())
        if place:
            axes.axhline(place - 0.5, color=style.SOFT_INK, linewidth=0.3)
    axes.set_yticks(range(len(names)), [PROBLEMS.get(name, name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("average regret, share of that of random play")
    style.legend(figure, [LOOKS[each][1].handle(LOOKS[each][0]) for each in contenders], 3)
    return figure


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Average regret against the largest $f_t$ on the box, over that of random play, with 95 % intervals."
        " Kernel, noise and drift are given (filled) or learnt while playing (open). Arms are"
        f" {int(data.n_arms.values[0]):,} evenly spread points of the box. The paths drift as TV-GP-UCB"
        " assumes; the functions have time as their last coordinate (W-DBO, BOBA). All contenders share the"
        f" draws and the noise. {data.sizes['seed']} runs of {data.sizes['round']} rounds."
    )
