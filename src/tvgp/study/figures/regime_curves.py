"""Average regret against rounds in the two test beds, both axes logarithmic, by alpha."""

from __future__ import annotations

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import beds, curves, style
from tvgp.study.results import growth

SPACING = 0.014  # of the bars, as a power of the last round over the first


def draw(collected: list[xr.Dataset]) -> Figure:
    """The figure: a row for each test bed, a column for each drift exponent."""
    columns = max(len(beds.shown_alphas(data)) for data in collected)
    figure, panels = style.panels(
        1.3 + 2.3 * len(collected), len(collected), columns, "Average regret under three rates of change"
    )
    for row, data in zip(panels, collected, strict=True):
        for axes, alpha in zip(row, beds.shown_alphas(data), strict=False):
            _panel(axes, data, alpha, _limits(data))
            axes.set(title=f"{beds.BEDS.get(results.name(data), '')}, $α = {alpha:g}$", xlabel="round $t$")
        row[0].set_ylabel("average regret $R_t/t$")
    names = growth.methods(*collected)
    entries = [style.entry(name) for name in names]
    style.legend(figure, [*entries, beds.RANDOM.handle("uniformly random play")], 3)
    return figure


def _panel(axes: Axes, data: xr.Dataset, alpha: float, limits: tuple[float, float]) -> None:
    rounds = data["round"].values
    axes.set(xscale="log", yscale="log")
    names = growth.methods(data)
    for index, name in enumerate(names):
        part = data.cumulative_regret.sel(part=name, alpha=alpha).transpose("seed", "round")
        values = part.values / rounds
        mean, look = values.mean(axis=0), style.look(name)
        axes.plot(
            rounds,
            mean,
            markevery=curves.stagger(len(rounds), index, len(names)),
            zorder=3,
            **look.marked() | {"linewidth": 1.0, "markersize": 3.2},
        )
        if len(values) > 1:
            # side by side right of the curves
            x = rounds[-1] * (rounds[-1] / rounds[0]) ** (SPACING * (1 + index))
            axes.plot([x, x], curves.band(values[:, -1]), color=look.colour, linewidth=1.4)
    axes.axhline(growth.random_play(data.isel(part=0), alpha), **beds.RANDOM.curve())
    axes.set_xlim(rounds[0], rounds[-1] * (rounds[-1] / rounds[0]) ** (SPACING * (2 + len(names))))
    axes.set_ylim(*limits)
    beds.plain_ticks(axes)


def _limits(data: xr.Dataset) -> tuple[float, float]:
    """Of means over runs and bars in all panels of a test bed; of an interval that reaches 0, a part."""
    average = (data.cumulative_regret / data["round"]).sel(alpha=beds.shown_alphas(data))
    low, high = curves.band(average.isel(round=-1).transpose("seed", ...).values)
    mean = average.mean("seed")
    least = min(float(mean.min()), float(low[low > 0].min()))
    top = max(float(mean.max()), float(high.max()), float(data.random_play.mean("seed").max()))
    return max(0.85 * least, 0.2 * float(mean.min())), 1.15 * top


def caption(collected: list[xr.Dataset]) -> str:
    """Caption of the figure."""
    beds = ". ".join(f"{results.title(data)}: {data.sizes['seed']} runs" for data in collected)
    return (
        "Average regret $R_t/t$ against rounds, both axes logarithmic, synthetic rewards, some of the"
        f" drift exponents run. {beds}. Lines are means over runs; at the right end,"
        f" {curves.bands_text(*(data.sizes['seed'] for data in collected))}."
        " Linear regret is level, growth of $R_t$ as a power below 1 a falling straight line."
        " The SparQ family queries an expert; the others observe only their own plays."
        r" TV-GP-UCB has the width of its paper, $\sqrt{0.8 \log 4t}$, several times smaller than the"
        " information width of the others."
    )
