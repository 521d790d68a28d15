"""The ageing test bed: f fixed, data grow noisy with lag (`tvgp.ageing`), one method per part.

The function depends on the seed only, the noise on alpha and seed, so all methods face the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import xarray as xr

from tvgp import streams
from tvgp.ageing import methods
from tvgp.ageing.simulate import simulate
from tvgp.contracts import Moment
from tvgp.simulate import Run
from tvgp.study.analyses.base import ageing_method, curves
from tvgp.study.analyses.base.testbed import STREAM, TestBed, on_test_bed


@on_test_bed()
def run(
    seeds: list[int],
    test_bed: TestBed,
    method: str,
    alphas: Sequence[float],
    horizon: int,
    rules: Sequence[str] = (),
    queries: Moment = "after",
    width: float | None = None,
    price: float | None = None,
    told: float | None = None,
) -> xr.Dataset:
    """Runs of a method (`tvgp.ageing.methods`) for each seed and alpha; the variables are those of
    `curves.of_runs`, except that random_play has no dimension alpha.

    rules: subset rules (`tvgp.study.results.subsets`) that a SparQ method follows one after the
    other, which gives the results a dimension `rule`; none: its own; queries: when, as in
    `tvgp.ageing.simulate`; width: a constant confidence width, price: of a query; None: the method's
    own; told: exponent that the method is told instead of alpha. ValueError for alpha below 0, an unknown
    method or rule, a price for a method that has none, an exponent told to one that takes none, and
    fewer than 100 rounds.
    """

    def play(seed: int, alpha: float, rule: str) -> tuple[Run, float]:
        own = {**curves.policy_parameters(rule, width), **({} if price is None else {"price": price})}
        policy, engine, f = ageing_method.make(test_bed, method, alpha, seed, horizon, told=told, **own)
        rng = streams.generator(STREAM, f"{alpha:g}", seed, "policy", method, *filter(None, [rule]))
        run = simulate(policy, engine, horizon, rng=rng, queries=queries)
        return run, float(f.max() - f.mean())

    data = curves.of_runs(play, seeds, alphas, horizon, rules)
    return data.assign(random_play=data.random_play.isel(alpha=0, drop=True))


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The environment and the algorithm, loaded by name."""
    return ("tvgp.environments.ageing", f"tvgp.policies.{methods.algorithm(method)}")
