"""How long methods need after the reward function has jumped, over environments, targets and runs."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tvgp.study import results
from tvgp.study.figures.base import many
from tvgp.study.results import league, recovery
from tvgp.study.results.league import Entrants as Parameters


def draw(collected: list[xr.Dataset], parameters: Parameters) -> Figure:
    """The figure: one panel. ValueError where no environment jumps, or no method was played in all."""
    found = _waits(collected, parameters)
    longest = max(float(each[np.isfinite(each)].max(initial=1.0)) for each in found.values())
    curves = {name: _ecdf(each) for name, each in found.items()}
    labels = "rounds from the change on, itself included", "share reached"
    ticks = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
    return many.figure(curves, longest + 1.0, ticks, labels)


def caption(collected: list[xr.Dataset], parameters: Parameters) -> str:
    """Caption of the figure."""
    parts = _jumping(collected)
    found = _waits(collected, parameters)
    count = len(next(iter(found.values())))
    changes = sum(len(recovery.changes(part)) for part in parts)
    targets = ", ".join(f"{share:g}" for share in recovery.TARGETS)
    places = ", ".join(map(results.name, parts))
    standin = " Some environments are stand-in data." if any(map(results.is_standin, parts)) else ""
    return (
        f"Rounds until regret is low again after a jump ({places}): share of {count} triples of change"
        f" ({changes}), target and run in which the mean regret of {recovery.SPAN} rounds is at most the"
        f" target ({targets} of the regret of uniform play) by then. A target that is not reached before the"
        " next change, or the end, never is, so that curves end below 1. In colour: the"
        f" {min(many.NAMED, len(found))} methods that reach most, at printed settings, where queries have no"
        f" price; higher and further to the left is better.{standin}"
    )


def _jumping(collected: list[xr.Dataset]) -> list[xr.Dataset]:
    found = [data for data in results.experiments(collected) if recovery.changes(data)]
    if not found:
        raise ValueError("recovery: no environment among the results jumps; remove the figure, or add one")
    return found


def _waits(collected: list[xr.Dataset], parameters: Parameters) -> dict[str, np.ndarray]:
    """Of each method that was played in all environments that jump, those that reach most first."""
    jumping = _jumping(collected)
    methods = league.standings(jumping, "printed", parameters.also).methods
    parts = [results.at_alpha(data) for data in jumping]
    everywhere = [name for name in methods if all(name in part.policy.values for part in parts)]
    if not everywhere:
        raise ValueError("recovery: no method was played in every environment that jumps")
    found = {
        name: np.concatenate([recovery.waits(part, name).ravel() for part in parts]) for name in everywhere
    }
    return dict(sorted(found.items(), key=lambda each: (-np.isfinite(each[1]).mean(), np.median(each[1]))))


def _ecdf(waits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x (m,): 1, then each round in which more is reached, the change's own being 1; share (m,) by then."""
    rounds = np.sort(waits[np.isfinite(waits)]) + 1.0
    x = np.unique([1.0, *rounds])
    return x, np.searchsorted(rounds, x, "right") / len(waits)
