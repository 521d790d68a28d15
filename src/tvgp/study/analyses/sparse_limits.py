"""How near to the posterior from all data one from few of them can be (Mauduit25b, Propositions 3.2 and 3.4).

Divergence and variance ratio over numbers of queries and rounds, in the mean over the data, for the inputs
of a run of SparQ-GP-UCB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import dpp, policies
from tvgp.environments import rkhs_sine
from tvgp.kernels import Kernel
from tvgp.study.run.simulate_named import simulate_named
from tvgp.theory import divergence
from tvgp.theory.schedules import query_size

QUANTITIES = (
    *("size", "distinct", "divergence", "least_divergence", "variational_divergence"),
    *("ratio", "least_ratio", "variational_ratio"),
)


def uses(**_) -> tuple[str, ...]:
    """The policy's module."""
    return ("tvgp.policies.sparq_gp_ucb",)


def run(
    seeds: Sequence[int],
    times: Sequence[int] = (30, 100, 300, 1000, 3000, 10_000),
    scales: Sequence[float] = (6.0, 12.0, 24.0, 96.0),
    noise_variance: float = 0.01,
    n_arms: int = 501,
) -> xr.Dataset:
    """Quantities (seed, scale, time) for M = ceil(scale log T) of the `distinct` inputs of the run: greedy
    ones (largest determinant), then, where these determine f, those played most.

    size: M, at most `distinct`; divergence: E KL(P^s || P^v); least_divergence: its closed-form lower bound;
    variational_divergence: of the variational posterior on the same inputs; ratio: sigma_s^2 / sigma_v^2 at
    the input played most; least_ratio: its lower bound; variational_ratio: that of the variational posterior.
    """
    values = np.empty((len(QUANTITIES), len(seeds), len(scales), len(times)))
    for i, seed in enumerate(seeds):
        environment = rkhs_sine.make(noise_std=math.sqrt(noise_variance), n_arms=n_arms)
        arms, kernel = environment.arms, environment.kernel
        policy = policies.make("sparq_gp_ucb", arms=arms, kernel=kernel, noise_variance=noise_variance)
        run = simulate_named(policy, environment, max(times), ("sparse_limits", seed))
        for k, t in enumerate(times):
            seen, plays = np.unique(run.arm[:t], return_counts=True)
            X = arms[seen]
            sizes = [min(query_size(t, scale), len(seen)) for scale in scales]
            greedy = dpp.greedy(kernel(X, X), max(sizes))
            others = np.setdiff1d(np.argsort(-plays, kind="stable"), greedy, assume_unique=True)
            order = np.concatenate([greedy, others])
            for j, size in enumerate(sizes):
                chosen = np.sort(order[:size])
                values[:, i, j, k] = _measure(kernel, X, plays, chosen, noise_variance)
    dims = ("seed", "scale", "time")
    return xr.Dataset(
        dict(zip(QUANTITIES, ((dims, each) for each in values), strict=True))
        | {"noise_variance": noise_variance},
        coords={"scale": [float(scale) for scale in scales], "time": list(times)},
    )


def _measure(
    kernel: Kernel, X: np.ndarray, plays: np.ndarray, chosen: np.ndarray, noise_variance: float
) -> tuple[float, ...]:
    """QUANTITIES, for distinct inputs X (n, d), how often each was played (n,), and those chosen (M,)."""
    bounds = len(chosen), float(kernel.diagonal(X)[0]), noise_variance
    data = kernel, X, plays, chosen, noise_variance
    most = int(plays.argmax())
    sparse, exact, variational = (each.item(most) for each in divergence.variances(*data))
    return (
        *(len(chosen), len(X), divergence.expected_divergence(*data)),
        float(divergence.least_divergence(int(plays.sum()), *bounds)),
        divergence.expected_variational_divergence(*data),
        sparse / exact,
        float(divergence.least_variance_ratio(int(plays[most]), *bounds)),
        variational / exact,
    )
