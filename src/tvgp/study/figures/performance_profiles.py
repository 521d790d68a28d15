"""Performance profiles of the league: in how many environments a method is close to the best."""

from __future__ import annotations

import xarray as xr
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import many
from tvgp.study.results import league
from tvgp.study.results.league import Entrants as Parameters
from tvgp.study.results.league_runs import LeagueCosts


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: one panel."""
    standing = _costs(collected, parameters)
    curves = {name: standing.profile_curve(name) for name in _order(standing)}
    labels = "regret over the least of all methods, at most", "share of environments"
    return many.figure(curves, 10.0, (1, 1.5, 2, 3, 5, 10), labels)


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    standing = _costs(collected, parameters)
    first = _order(standing)[0]
    share = float(standing.profile(2.0)[first])
    families = standing.families.nunique()
    standin = " Some environments are stand-in data." if any(map(results.is_standin, collected)) else ""
    return (
        f"Performance profiles (Dolan and Moré 2002): share of the {len(standing.families)} environments in"
        " which the average regret of a method is at most so many times the least of all methods there, at"
        f" printed settings and without a price for queries; {families} families of environments weigh the"
        " same. At 1: how often it is the best; higher is better. In colour: the"
        f" {min(many.NAMED, len(standing.costs))} methods with the largest shares at a factor of 2,"
        f" {share:.0%} at most.{standin}"
    )


def _costs(collected: list[xr.Dataset], parameters: Parameters) -> LeagueCosts:
    found = league.standings(results.experiments(collected), "printed", parameters.also)
    return LeagueCosts.of_costs(found.methods, found.environments, found.costs(0.0), found.families)


def _order(standing: LeagueCosts) -> list[str]:
    """Methods by their share at a factor of 2, then by mean rank."""
    close, ranks = standing.profile(2.0), standing.mean_ranks()
    return sorted(
        map(str, standing.costs.index), key=lambda name: (-round(close[name], 9), ranks[name], name)
    )
