"""The drifting test bed (`tvgp.environments.drift`) played by the study's policies, one per part.

The drift's step equals the noise's standard deviation, as in Mauduit25b (7). TV-GP-UCB uses the
epsilon of the true correlation of neighbouring rounds, SW- and W-GP-UCB the settings recommended for
the true B_T, W-SparQ the true alpha.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import xarray as xr

from tvgp import lockstep, policies, streams
from tvgp.environments.drift import Drift
from tvgp.simulate import Run, simulate
from tvgp.study.analyses.base import curves
from tvgp.study.analyses.base.bed import Bed, on_bed

ALGORITHMS = {
    "sparq_gp_ucb": ("sparq_gp_ucb", {"version": "2025b"}),
    "sparq_domain_greedy": (
        "sparq_gp_ucb",
        {"version": "2025b", "subset": "greedy", "place": "domain"},
    ),
    "w_sparq_domain_greedy": ("w_sparq_gp_ucb", {"subset": "greedy", "place": "domain"}),
}


@on_bed()
def run(
    seeds: list[int],
    bed: Bed,
    method: str,
    alphas: Sequence[float],
    horizon: int,
    rules: Sequence[str] = (),
) -> xr.Dataset:
    """Runs of a method for each seed and alpha; see `curves.of_runs`.

    rules: as in the analysis `ageing`. ValueError for alpha outside (0, 2], an unknown method or rule
    and fewer than 100 rounds.
    """
    algorithm, parameters = ALGORITHMS.get(method, (method, {}))
    declared = policies.parameters(algorithm)

    def make(
        environment: Drift, alpha: float, rule: str, budget: float | np.ndarray, runs: int | None = None
    ) -> Any:
        known = {
            "alpha": alpha,
            "delta": bed.delta,
            "epsilon": one_step(alpha, environment.correlation_time),
            "horizon": horizon,
            "norm_bound": bed.norm_bound,
            "variation_budget": budget,
        }
        making: Any = partial(policies.make_together, runs=runs) if runs else policies.make
        return making(
            algorithm,
            arms=environment.arms,
            kernel=bed.kernel(),
            noise_variance=bed.noise_variance,
            **{name: value for name, value in known.items() if name in declared},
            **{**parameters, **curves.of_rule(rule)},
        )

    def play(seeds: Sequence[int], alpha: float, rule: str) -> Iterator[tuple[Run, float]]:
        names = [("drift", f"{alpha:g}", seed) for seed in seeds]
        drifts = [_environment(bed, alpha, horizon, seed) for seed in seeds]
        budgets = [each.variation(horizon) for each in drifts]
        fields = [streams.noise_fields(bed.n_arms, *each) for each in names]
        rngs = [streams.generator(*each, "policy", method, *filter(None, [rule])) for each in names]
        runs: Iterable[Run]
        if curves.in_lockstep(algorithm, len(seeds), bed.n_arms):
            policy = make(drifts[0], alpha, rule, np.array(budgets), len(seeds))
            runs = lockstep.simulate(
                policy,
                drifts,
                horizon,
                rngs=rngs,
                noise=[each["noise"] for each in fields],
                expert_noise=[each["expert_noise"] for each in fields],
            )
        else:
            each_run = zip(drifts, budgets, rngs, fields, strict=True)
            runs = (
                simulate(make(drift, alpha, rule, budget), drift, horizon, rng=rng, **noise)
                for drift, budget, rng, noise in each_run
            )
        for drift, run in zip(drifts, runs, strict=True):
            some = [drift.mean_rewards(int(t)) for t in np.linspace(1, horizon, 200)]
            yield run, float(np.mean([f.max() - f.mean() for f in some]))

    return curves.of_runs(play, seeds, alphas, horizon, rules)


@lru_cache(maxsize=270)
def _environment(bed: Bed, alpha: float, horizon: int, seed: int) -> Drift:
    """The drift of a run, the same object for all methods of a job of at most 30 seeds and 9 exponents: over
    10^5 rounds it takes as long to draw as 20,000 rounds take to play, and 16 MB."""
    return bed.drifting(alpha, horizon, streams.generator("drift", f"{alpha:g}", seed, "environment"))


def one_step(alpha: float, correlation_time: float) -> float:
    """epsilon of TV-GP-UCB with sqrt(1 - epsilon) = Corr(f_t, f_{t+1}) = exp(-tau^-alpha)."""
    return float(-np.expm1(-2.0 * correlation_time**-alpha))


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The environment and the algorithm, loaded by name."""
    return ("tvgp.environments.drift", f"tvgp.policies.{ALGORITHMS.get(method, (method,))[0]}")
