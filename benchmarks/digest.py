"""Fingerprints of the arms of all engines, to compare between BLAS kernels: `python -m benchmarks.digest`."""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np

from benchmarks.problem import forget
from tvgp import environments, kernels, policies, streams
from tvgp.simulate import simulate

HORIZON, N_ARMS, SEEDS = 60, 101, range(1, 11)

SEQUENTIAL = ("append", "weight_space", "dense")  # with or without forgetting
KEEPING = (*SEQUENTIAL, "grid", "lazy")  # without forgetting
BATCH = ("merged", "dense")
ENGINES = {
    "gp_ucb": KEEPING,
    "igp_ucb": KEEPING,
    "pi_gp_ucb": ("auto",),
    "r_gp_ucb": SEQUENTIAL,
    "tv_gp_ucb": SEQUENTIAL,
    "sw_gp_ucb": BATCH,
    "w_gp_ucb": BATCH,
    "ui_gp_ucb": BATCH,
    "sparq_gp_ucb": BATCH,
    "w_sparq_gp_ucb": BATCH,
}


def arms(algorithm: str, engine: str, horizon: int = HORIZON) -> str:
    """SHA-256 over the arms of whole runs, all seeds."""
    environment = environments.make("rkhs_sine", n_arms=N_ARMS)
    kernel = environment.kernel
    if algorithm == "pi_gp_ucb":  # defined for Matern kernels only
        kernel = kernels.Matern32(kernel.variance, kernel.length_scale)
    digest = hashlib.sha256()
    for seed in SEEDS:
        policy = policies.make(
            algorithm,
            arms=environment.arms,
            kernel=kernel,
            noise_variance=environment.noise_std**2,
            horizon=horizon,
            engine=engine,
        )
        names = ("benchmarks", "digest", seed)
        run = simulate(
            policy,
            environment,
            horizon,
            rng=streams.generator(*names, "policy", algorithm),
            **streams.noise_fields(N_ARMS, *names),
        )
        digest.update(np.ascontiguousarray(run.arm, dtype="<i4").tobytes())
    return digest.hexdigest()


def report() -> dict:
    """{"architecture": BLAS kernel, "arms": {"algorithm/engine": fingerprint}}."""
    forget()
    found = {
        f"{algorithm}/{engine}": arms(algorithm, engine)
        for algorithm, engines in ENGINES.items()
        for engine in engines
    }
    return {"architecture": architecture(), "arms": found}


def architecture() -> str:
    """Kernels that the loaded BLAS libraries chose, "unknown" without threadpoolctl."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "unknown"
    kinds = {i.get("architecture", "?") for i in threadpool_info() if i["user_api"] == "blas"}
    return ", ".join(sorted(kinds)) or "unknown"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(report()) + "\n")
