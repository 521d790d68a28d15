"""The drifting test bed (`tvgp.environments.drift`) played by the study's policies, one per part.

The drift's step equals the noise's standard deviation, as in Mauduit25b (7). TV-GP-UCB uses the
epsilon of the true correlation of neighbouring rounds, SW- and W-GP-UCB the settings recommended for
the true B_T, W-SparQ the true alpha.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies, streams
from tvgp.contracts import Moment
from tvgp.environments.drift import Drift
from tvgp.simulate import Run
from tvgp.study.analyses.base import curves
from tvgp.study.analyses.base.testbed import TestBed, on_test_bed
from tvgp.study.run.simulate_named import simulate_named

ALGORITHMS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "sparq_domain_greedy": ("sparq_gp_ucb", {"subset": "greedy", "place": "domain"}),
    "w_sparq_domain_greedy": ("w_sparq_gp_ucb", {"subset": "greedy", "place": "domain"}),
    "pandora": ("pandora_gp_ucb", {"price": 0.01}),
    "last_function": ("oracle", {"delay": 1}),
}


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
) -> xr.Dataset:
    """Runs of a method for each seed and alpha; see `curves.of_runs`.

    rules, queries, width: as in the analysis `ageing`. ValueError for alpha outside (0, 2], an unknown
    method or rule and fewer than 100 rounds.
    """
    algorithm, parameters = ALGORITHMS.get(method, (method, {}))
    declared = policies.parameters(algorithm)

    def play(seed: int, alpha: float, rule: str) -> tuple[Run, float]:
        names = ("drift", f"{alpha:g}", seed)
        environment = _environment(test_bed, alpha, horizon, seed)
        known: dict[str, Any] = {
            "alpha": alpha,
            "delta": test_bed.delta,
            "epsilon": one_step(alpha, environment.correlation_time),
            "horizon": horizon,
            "norm_bound": test_bed.norm_bound,
            "variation_budget": environment.variation(horizon),
        }
        policy = policies.make(
            algorithm,
            arms=environment.arms,
            kernel=test_bed.kernel(),
            noise_variance=test_bed.noise_variance,
            **{name: value for name, value in known.items() if name in declared},
            **{**parameters, **curves.policy_parameters(rule, width)},
        )
        some = [environment.mean_rewards(int(t)) for t in np.linspace(1, horizon, 200)]
        random_play = float(np.mean([f.max() - f.mean() for f in some]))
        own = method, *filter(None, [rule])
        return simulate_named(policy, environment, horizon, names, *own, queries=queries), random_play

    return curves.of_runs(play, seeds, alphas, horizon, rules)


@lru_cache(maxsize=16)
def _environment(test_bed: TestBed, alpha: float, horizon: int, seed: int) -> Drift:
    """The drift of a run, the same object for all methods of a job of one seed: over 10^5 rounds it takes as
    long to draw as 20,000 rounds take to play, and 16 MB."""
    return test_bed.drifting(alpha, horizon, streams.generator("drift", f"{alpha:g}", seed, "environment"))


def one_step(alpha: float, correlation_time: float) -> float:
    """epsilon of TV-GP-UCB with sqrt(1 - epsilon) = Corr(f_t, f_{t+1}) = exp(-tau^-alpha)."""
    return float(-np.expm1(-2.0 * correlation_time**-alpha))


def uses(method: str, **parameters: Any) -> tuple[str, ...]:
    """The environment and the algorithm, loaded by name."""
    return ("tvgp.environments.drift", f"tvgp.policies.{ALGORITHMS.get(method, (method,))[0]}")
