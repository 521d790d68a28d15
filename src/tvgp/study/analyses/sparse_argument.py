"""KL(sparse || virtual) and the variance ratio for SparQ's actual query sets (Mauduit25b,
Propositions 3.2 and 3.4), compared with the variational posterior, which uses all outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr

from tvgp import dpp, policies, streams
from tvgp.environments import rkhs_sine
from tvgp.environments.rkhs_sine import RKHSSine
from tvgp.kernels import Kernel
from tvgp.simulate import Round
from tvgp.study.run.simulate_named import simulate_named
from tvgp.theory import divergence
from tvgp.theory.schedules import query_size

INPUTS = ("played", "uniform")


def uses(**_) -> tuple[str, ...]:
    """The policy's module."""
    return ("tvgp.policies.sparq_gp_ucb",)


def run(
    seeds: Sequence[int],
    inputs: str = "played",
    times: Sequence[int] = (50, 100, 200, 500, 1000),
    noise_variance: float = 0.01,
    query_scale: float = 6.0,
) -> xr.Dataset:
    """Quantities at times T (seed, time), on the functions of Mauduit25b, Fig. 2.

    inputs: `played` uses the inputs and the k-DPP sets of a run of SparQ-GP-UCB (2025b); `uniform`
    uses uniform inputs and greedy sets of the same size. size: M; divergence:
    KL(P^s || P^v); ratio_median: sigma_s^2 / sigma_v^2 over the arms; variational_divergence,
    variational_ratio_median: of the variational posterior on the same points; trace: tr(K - Q) / (2 sigma^2);
    noise_variance, query_scale: as given. ValueError for other inputs.
    """
    if inputs not in INPUTS:
        raise ValueError(f"sparse_argument: inputs is {inputs!r}, expected one of {', '.join(INPUTS)}")
    rows = []
    for seed in seeds:
        environment = rkhs_sine.make(noise_std=math.sqrt(noise_variance))
        arms, kernel = environment.arms, environment.kernel
        names = ("sparse_argument", inputs, seed)
        if inputs == "played":
            plays, sets = _play(environment, max(times), noise_variance, query_scale, names)
        else:
            rng = streams.generator(*names, "inputs")
            plays, sets = rng.integers(len(arms), size=max(times)), {}
        row = []
        for t in times:
            X = arms[plays[:t]]
            f = environment.mean_rewards(t)[plays[:t]]
            noise = streams.generator(*names, "noise", t).standard_normal(t)
            y = f + np.sqrt(noise_variance) * noise
            if inputs == "played":
                # the first observation of each arm of the set serves as the expert's answer
                chosen = np.array([int(np.flatnonzero(plays[:t] == arm)[0]) for arm in sets[t]])
            else:
                chosen = np.sort(dpp.greedy(kernel(X, X), query_size(t, query_scale)))
            row.append(_measure(kernel, X, y, chosen, arms, noise_variance))
        rows.append(row)
    values = np.array(rows)
    columns = (
        "size",
        "divergence",
        "ratio_median",
        "variational_divergence",
        "variational_ratio_median",
        "trace",
    )
    quantities = {name: (("seed", "time"), values[:, :, i]) for i, name in enumerate(columns)}
    return xr.Dataset(
        quantities | {"noise_variance": noise_variance, "query_scale": query_scale},
        coords={"time": list(times)},
    )


def _play(
    environment: RKHSSine, horizon: int, noise_variance: float, query_scale: float, names: tuple
) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Arms played by SparQ-GP-UCB, and its query sets by round."""
    policy = policies.make(
        "sparq_gp_ucb",
        arms=environment.arms,
        kernel=environment.kernel,
        noise_variance=noise_variance,
        query_scale=query_scale,
    )
    rounds: list[Round] = []
    run = simulate_named(policy, environment, horizon, names, on_round=rounds.append)
    return run.arm, {each.t: each.queries for each in rounds}


def _measure(
    kernel: Kernel,
    X: np.ndarray,
    y: np.ndarray,
    chosen: np.ndarray,
    arms: np.ndarray,
    noise_variance: float,
) -> tuple[float, ...]:
    ratio = divergence.variance_ratio(kernel, X, chosen, arms, noise_variance)
    Z = np.unique(X[chosen], axis=0)
    far, spread = divergence.variational(kernel, X, y, Z, arms, noise_variance)
    return (
        len(chosen),
        divergence.divergence(kernel, X, y, chosen, noise_variance),
        float(np.median(ratio)),
        far,
        float(np.median(spread)),
        divergence.residual_trace(kernel, X, Z) / (2.0 * noise_variance),
    )
