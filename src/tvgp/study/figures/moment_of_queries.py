"""What a query is worth before the choice and after it: cost against price, and regret against queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from tvgp.study.figures.base import asking, style
from tvgp.study.figures.base.palette import Colour
from tvgp.study.figures.base.style import Look

_LOOKS = {
    "none": ("no query", asking.NONE),
    "all": ("every arm, before", asking.EVERY),
    "fixed": ("fixed number, the best in hindsight, before", asking.BEFORE),
    "after": ("the same after the choice", asking.AFTER),
    "pandora": ("Pandora's index, before", asking.PANDORA),
    "knowledge_gradient": ("knowledge gradient, before", asking.KNOWLEDGE_GRADIENT),
    "pairs": ("gain of a reading or a pair, before", asking.PAIRS),
    "sparq_gp_ucb": ("SparQ's subset: after (hollow), before", Look(Colour.GREEN, "-", "^")),
}


@dataclass(frozen=True)
class Parameters:
    """parts: problems that are shown, all if there are none."""

    parts: Sequence[str] = ()


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: a row per problem."""
    (data,) = collected
    names = list(parameters.parts) or [str(name) for name in data.part.values]
    title = "When to ask, and how often"
    figure, panels = style.panels(0.9 + 1.75 * len(names), len(names), 2, title=title)
    for row, name in zip(panels, names, strict=True):
        part = data.sel(part=name)
        _cost(row[0], part)
        _regret(row[1], part)
        row[0].set_title(asking.TITLES.get(name, name))
    panels[-1][0].set_xlabel("price of a query, share of random regret")
    panels[-1][1].set_xlabel("queries per round")
    style.legend(figure, [look.handle(label) for label, look in _LOOKS.values()], 2)
    return figure


def _cost(axes: Axes, part: xr.Dataset) -> None:
    """Regret + price x queries per round over the regret of random play."""
    share, random = part.share.values, part.random
    fixed = part.fixed_regret / random + part.share * part.number
    costs = {
        "none": part.fixed_regret.sel(moment="before", number=0) / random + 0 * part.share,
        "all": _asker(part, "yesterdays_best"),
        "fixed": fixed.sel(moment="before").mean("seed").min("number"),
        "after": fixed.sel(moment="after").mean("seed").min("number"),
        "sparq_gp_ucb": _asker(part, "sparq_gp_ucb"),
    }
    for rule in map(str, part.rule.values):
        each = part.sel(moment="before", rule=rule)
        costs[rule] = each.rule_regret / random + part.share * each.rule_queries
    for name, cost in costs.items():
        mean = cost.mean("seed") if "seed" in cost.dims else cost
        axes.plot(share, mean.transpose("share").values, **_LOOKS[name][1].marked())
    axes.set(xscale="log", yscale="log")
    style.x_ticks(axes, share)
    axes.set_ylabel("cost per round")


def _asker(part: xr.Dataset, asker: str) -> xr.DataArray:
    each = part.sel(asker=asker, moment="before")
    return each.subset_regret / part.random + part.share * each.subset_queries


def _regret(axes: Axes, part: xr.Dataset) -> None:
    """Regret against queries, both per round; the horizontal line is who knows f_{t-1}."""
    for moment, name in (("before", "fixed"), ("after", "after")):
        look, curve = _LOOKS[name][1], part.fixed_regret.sel(moment=moment).mean("seed")
        axes.plot(part.number, curve, **look.marked())
    for rule in map(str, part.rule.values):
        each, look = part.sel(moment="before", rule=rule), _LOOKS[rule][1]
        shown = each.rule_queries.mean("seed"), each.rule_regret.mean("seed")
        axes.plot(*shown, **look.marked())
    look = _LOOKS["sparq_gp_ucb"][1]
    for moment in ("after", "before"):
        each = part.sel(asker="sparq_gp_ucb", moment=moment)
        point = {**look.point(), **({"markerfacecolor": "white"} if moment == "after" else {})}
        axes.plot(each.subset_queries.mean(), each.subset_regret.mean(), **look.curve(), **point)
    floor = float(part.informed.mean())
    axes.set_yscale("log")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.reference(axes, floor, "knows $f_{t-1}$")
    axes.set_ylabel("average regret")
    most = max(
        float(np.max(part.number)), float(part.subset_queries.sel(asker="sparq_gp_ucb").mean("seed").max())
    )
    axes.set_xlim(-0.03 * most, 1.05 * most)


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    (data,) = collected
    return (
        "Left: regret plus price times queries, per round, as a share of the regret of random play. Right:"
        " average regret against queries per round; the line is the regret of playing the maximum of"
        " $f_{t-1}$, known exactly: a floor of the papers' order for methods that do not extrapolate. All but"
        f" SparQ have TV-GP-UCB's model. Means over {data.sizes['seed']} runs."
    )
