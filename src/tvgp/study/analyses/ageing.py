"""The ageing test bed: f fixed, data grow noisy with lag (`tvgp.ageing.simulate`), one method a part.

Regret and queries are saved at rounds evenly spaced in log t (`regimes.saved_rounds`). The
function depends on the seed only, noise on alpha and seed: all methods meet the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import environments, kernels, streams
from tvgp.ageing import methods
from tvgp.ageing.law import Law
from tvgp.ageing.simulate import simulate
from tvgp.posterior import Prior
from tvgp.study.results import growth

# Random streams keep the name under which they were first drawn: renaming one redraws every run.
STREAM = "aging"


def run(
    seeds: list[int],
    method: str,
    alphas: Sequence[float],
    horizon: int,
    n_arms: int = 501,
    n_centres: int = 20,
    variance: float = 0.5,
    length_scale: float = 3.0,
    noise_variance: float = 0.01,
    norm_bound: float = 5.0,
    delta: float = 0.05,
) -> xr.Dataset:
    """Runs of a method (`tvgp.ageing.methods`) for each seed and alpha.

    cumulative_regret, cumulative_queries (seed, alpha, round); late_regret (seed, alpha), a round
    of the last tenth; random_play (seed), regret a round of uniformly random arms. ValueError for
    alpha below 0, an unknown method and fewer than 100 rounds.
    """
    rounds = growth.saved_rounds(horizon)
    kernel = kernels.make("se", variance=variance, length_scale=length_scale)
    regret = np.empty((len(seeds), len(alphas), len(rounds)))
    queries = np.empty(regret.shape, dtype=np.int64)
    late = np.empty(regret.shape[:2])
    random_play = np.empty(len(seeds))
    for i, seed in enumerate(seeds):
        f, prior = world(seed, n_arms, n_centres, kernel, norm_bound)
        random_play[i] = f.max() - f.mean()
        for j, alpha in enumerate(alphas):
            names = (STREAM, f"{alpha:g}", seed)
            policy, engine = methods.make(
                method,
                prior,
                Law(noise_variance, alpha),
                f,
                horizon,
                noise=streams.NoiseField(n_arms, *names, "noise"),
                redraws=streams.generator(*names, "noise", method),
                norm_bound=norm_bound,
                delta=delta,
            )
            one = simulate(policy, engine, horizon, rng=streams.generator(*names, "policy", method))
            regret[i, j] = np.cumsum(one.regret)[rounds - 1]
            queries[i, j] = np.cumsum(one.expert_queries, dtype=np.int64)[rounds - 1]
            late[i, j] = growth.late(one.regret)
    return xr.Dataset(
        {
            "cumulative_regret": (("seed", "alpha", "round"), regret),
            "cumulative_queries": (("seed", "alpha", "round"), queries),
            "late_regret": (("seed", "alpha"), late),
            "random_play": ("seed", random_play),
        },
        coords={"alpha": [float(a) for a in alphas], "round": rounds},
    )


def world(
    seed: int, n_arms: int, n_centres: int, kernel: kernels.Kernel, norm_bound: float
) -> tuple[np.ndarray, Prior]:
    """The function of a seed over the arms, (n_arms,), and the prior over these."""
    environment = environments.make(
        "ageing",
        n_arms=n_arms,
        n_centres=n_centres,
        variance=kernel.variance,
        length_scale=kernel.length_scale,
        norm_bound=norm_bound,
        rng=streams.generator(STREAM, seed, "environment"),
    )
    return environment.mean_rewards(1), Prior.of(environment.arms, kernel)


def uses(method: str, **parameters) -> tuple[str, ...]:
    """The environment and the algorithm, which are loaded by name."""
    return ("tvgp.environments.ageing", f"tvgp.policies.{methods.algorithm(method)}")
