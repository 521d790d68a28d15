"""The methods of Mauduit25b, Fig. 2, and UI-GP-UCB one by one, each beside its floor."""

from __future__ import annotations

from benchmarks.comparisons import figure
from benchmarks.harness import Comparison, Contender
from tvgp.study.run import build
from tvgp.study.run.world import World

# Most multiples of its floor that a method is to take, by contender.
MOST_FLOORS = {
    f"tvgp: {method}": 2.5 if method in figure.SAMPLED else 2.0 for method in (*figure.METHODS, "ui_gp_ucb")
}


def make(horizon: int = 500) -> Comparison:
    """One seed each, with the prior and the noise kept from the run before."""
    return Comparison(
        name="methods",
        title="Mauduit25b, Fig. 2: each method beside its floor",
        job=f"one run through the study's code, T = {horizon}, 501 arms, one seed, not the first run",
        contenders=[_contender(method, horizon) for method in (*figure.METHODS, "ui_gp_ucb")],
        check=lambda expected, actual: None,  # methods differ
    )


def _contender(method: str, horizon: int) -> Contender:
    definition = figure.job(method, horizon)
    world = World.open(definition.experiment)
    return Contender(
        f"tvgp: {method}",
        lambda: build.run_once(definition, world, 1, figure.FIT)[0].arm,
        floor=lambda _: figure.floor(method, 1, horizon),
    )
