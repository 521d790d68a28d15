"""The steps of the proofs about the subset that is asked, on the inputs of runs: the Nystrom residual
when inputs are added to both sets (Mauduit25b, Lemma 3.8), and the tail of the spectrum of the kernel
matrix (Mauduit25a, Theorem 0.B.1). On the functions of Mauduit25b, Fig. 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from tvgp import policies
from tvgp.environments import rkhs_sine
from tvgp.simulate import Round
from tvgp.study.run.simulate_named import simulate_named
from tvgp.theory import eigenvalues
from tvgp.theory.divergence import residual_trace
from tvgp.theory.schedules import query_size

_ADDED = 5  # inputs added to both sets, those of the rounds that follow


def uses(policy: str, **parameters: Any) -> tuple[str, ...]:
    """The policy's module."""
    return (f"tvgp.policies.{policy}",)


def run(
    seeds: list[int], policy: str = "sparq_gp_ucb", times: Sequence[int] = (50, 100, 200, 500)
) -> xr.Dataset:
    """Over (seed, time): before, tr(K - U) of all inputs and those asked at the last query up to T;
    after, the same with the next 5 inputs in both sets; spectrum_tail, Lambda_Q / T of the T inputs with
    Q = ceil(6 log T). tail_bound (time): of Theorem 0.B.1; largest_tail: M_k^2, which no tail exceeds.
    """
    rows = []
    for seed in seeds:
        environment = rkhs_sine.make()
        arms, kernel = environment.arms, environment.kernel
        player = policies.make(policy, arms=arms, kernel=kernel, noise_variance=environment.noise_std**2)
        rounds: list[Round] = []
        names = ("nystrom", policy, seed)
        run = simulate_named(player, environment, max(times) + _ADDED, names, on_round=rounds.append)
        inputs = arms[run.arm]
        row = []
        for t in times:
            asked = next(each for each in reversed(rounds[:t]) if len(each.queries))
            X, Z = inputs[: asked.t], arms[asked.queries]
            more = inputs[asked.t : asked.t + _ADDED]
            before = residual_trace(kernel, X, Z)
            after = residual_trace(kernel, np.concatenate([X, more]), np.concatenate([Z, more]))
            gram = kernel(inputs[:t], inputs[:t])
            row.append((before, after, eigenvalues.tail(gram, query_size(t, 6.0)) / t))
        rows.append(row)
    values = np.array(rows)
    diameter = float(np.ptp(arms))
    sizes = np.array([query_size(t, 6.0) for t in times])
    length_scale = float(np.max(kernel.length_scale))
    bound = eigenvalues.tail_bound(sizes, length_scale, kernel.variance, diameter)
    return xr.Dataset(
        {
            name: (("seed", "time"), values[:, :, i])
            for i, name in enumerate(("before", "after", "spectrum_tail"))
        }
        | {"size": ("time", sizes), "tail_bound": ("time", bound), "largest_tail": kernel.variance},
        coords={"time": list(times)},
    )
