"""The ageing test bed: f fixed, data grow noisy with lag (`tvgp.ageing`), one method per part.

The function depends on the seed only, the noise on alpha and seed, so all methods face the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from tvgp import streams
from tvgp.ageing import methods
from tvgp.ageing.law import Law
from tvgp.ageing.simulate import simulate, together
from tvgp.lockstep import Fields
from tvgp.posterior import Copies
from tvgp.simulate import Run
from tvgp.study.analyses.base import curves
from tvgp.study.analyses.base.bed import STREAM, Bed, on_bed


@on_bed()
def run(
    seeds: list[int],
    bed: Bed,
    method: str,
    alphas: Sequence[float],
    horizon: int,
    rules: Sequence[str] = (),
) -> xr.Dataset:
    """Runs of a method (`tvgp.ageing.methods`) for each seed and alpha; the variables are those of
    `curves.of_runs`, except that random_play has no dimension alpha.

    rules: subset rules (`tvgp.study.results.subsets`) that a SparQ method follows one after the
    other, which gives the results a dimension `rule`; none: its own. ValueError for alpha below 0, an
    unknown method or rule and fewer than 100 rounds.
    """

    def play(seeds: Sequence[int], alpha: float, rule: str) -> Iterator[tuple[Run, float]]:
        names = [(STREAM, f"{alpha:g}", seed) for seed in seeds]
        functions = np.array([bed.fixed(seed)[0] for seed in seeds])
        prior = bed.fixed(seeds[0])[1]
        noise = [streams.NoiseField(bed.n_arms, *each, "noise") for each in names]
        redraws = [streams.generator(*each, "noise", method) for each in names]
        rngs = [streams.generator(*each, "policy", method, *filter(None, [rule])) for each in names]
        make = partial(
            methods.make,
            method,
            law=Law(bed.noise_variance, alpha),
            horizon=horizon,
            norm_bound=bed.norm_bound,
            delta=bed.delta,
            **curves.of_rule(rule),
        )
        runs: Iterable[Run]
        if curves.in_lockstep(methods.algorithm(method), len(seeds), bed.n_arms):
            copies = Copies(prior, len(seeds))
            made = make(prior=copies, f=functions.ravel(), noise=Fields(noise), redraws=redraws)
            runs = together(*made, horizon, rngs=rngs)
        else:
            each = zip(functions, noise, redraws, rngs, strict=True)
            runs = (
                simulate(*make(prior=prior, f=f, noise=z, redraws=again), horizon, rng=rng)
                for f, z, again, rng in each
            )
        for f, run in zip(functions, runs, strict=True):
            yield run, float(f.max() - f.mean())

    data = curves.of_runs(play, seeds, alphas, horizon, rules)
    return data.assign(random_play=data.random_play.isel(alpha=0, drop=True))


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The environment and the algorithm, loaded by name."""
    return ("tvgp.environments.ageing", f"tvgp.policies.{methods.algorithm(method)}")
