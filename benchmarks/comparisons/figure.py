"""Mauduit25b, Fig. 2: seven methods on 501 arms, through the code of the study.

A round plays one of the 30 seeds. All contenders use tvgp's environment, widths and k-DPP, so only the
posterior differs. One loop uses DPPy's k-DPP as well, which is what public packages offered before tvgp;
its SparQ methods draw other subsets of the same law, so only the arms of the other methods are compared.
"""

from __future__ import annotations

import numpy as np

from benchmarks.comparisons.runs import engine
from benchmarks.harness import Comparison, Contender, Target, needs, same_arms
from benchmarks.problem import forget, lend
from tvgp import kernels, streams
from tvgp.simulate import simulate
from tvgp.study.run import build
from tvgp.study.run.job import Experiment, RunJob
from tvgp.study.run.world import World

METHODS = ("gp_ucb", "r_gp_ucb", "sw_gp_ucb", "tv_gp_ucb", "w_gp_ucb", "sparq_gp_ucb", "w_sparq_gp_ucb")
SAMPLED = METHODS[-2:]
FIT = {
    "kernel": {"name": "se", "variance": 0.5, "length_scale": 3.0},
    "noise_variance": 0.01,
    "norm_bound": 5.0,
    "prior_mean": 0.0,
    "epsilon": 0.03,
}


def job(method: str, horizon: int = 500) -> RunJob:
    """The study's job of one method."""
    environment = {"n_arms": 501, "n_centres": 20, "norm_factor": "printed", "centres": "equispaced"}
    return RunJob(
        experiment=Experiment("rkhs_sine", "rkhs_sine", environment, None, horizon, None, False),
        policy=method,
        algorithm=method,
        alpha="1",
        parameters={"version": "2025b"} if method == "sparq_gp_ucb" else {},
        from_fit={},
        tuned=None,
        delta=0.05,
        exact_norm=False,
        squared_error=False,
    )


def one_seed(seed: int, horizon: int) -> np.ndarray:
    """Arms of all methods for one seed, (7, horizon), as the study plays them."""
    jobs = [job(method, horizon) for method in METHODS]
    return np.stack([build.run_once(each, World.open(each.experiment), seed, FIT)[0].arm for each in jobs])


def seven_methods(horizon: int) -> Comparison:
    """One seed of all methods."""

    def ours():
        forget()
        return one_seed(1, horizon)

    dppy = "scikit-learn and DPPy loop"
    return Comparison(
        title="Mauduit25b, Fig. 2: seven methods, one of 30 seeds",
        job=f"seven runs (GP, R, SW, TV, W, SparQ, W-SparQ), T = {horizon}, 501 arms, one seed",
        contenders=[
            Contender("dense Cholesky loop", lambda: _on("dense Cholesky", 1, horizon)),
            Contender("tvgp study", ours),
            Contender("scikit-learn loop", lambda: _on("scikit-learn refit", 1, horizon), needs("sklearn")),
            Contender(dppy, lambda: _with_dppy(1, horizon), needs("sklearn") or needs("dppy")),
        ],
        targets=[
            Target("scikit-learn loop", "tvgp study", 20),
            Target(dppy, "tvgp study"),
            Target("dense Cholesky loop", "tvgp study"),
        ],
        rounds=9,  # its ratio is near its target
        check=_same_methods,
    )


def _on(peer: str, seed: int, horizon: int, adapt=lambda policy: policy) -> np.ndarray:
    """The same on another posterior; `adapt` further changes policies that query an expert."""
    kernel = kernels.make(**FIT["kernel"])
    played = []
    for method in METHODS:
        definition = job(method, horizon)
        world = World.open(definition.experiment)
        environment = world.environment(definition.alpha, seed)
        policy = build.build_policy(definition, environment, horizon, FIT)
        if method in SAMPLED:
            adapt(policy)
        epsilon = FIT["epsilon"] if method == "tv_gp_ucb" else 0.0
        posterior = engine(peer)(environment.arms, kernel, FIT["noise_variance"], epsilon)
        names, n_arms = world.stream_names(definition.alpha, seed), len(environment.arms)
        run = simulate(
            lend(policy, posterior),
            environment,
            horizon,
            rng=streams.generator(*names, "policy", method),
            **streams.noise_fields(n_arms, *names),
        )
        played.append(run.arm)
    return np.stack(played)


def _with_dppy(seed: int, horizon: int) -> np.ndarray:
    """On scikit-learn's posterior and DPPy's sampler: arms of the methods without sampling."""
    from benchmarks.peers.dppy import lend_sampler

    return _on("scikit-learn refit", seed, horizon, lend_sampler)[: len(METHODS) - len(SAMPLED)]


def _same_methods(expected: np.ndarray, actual: np.ndarray) -> str | None:
    # `actual` may lack the methods with sampling, which come last
    for method, a, b in zip(METHODS, expected, actual, strict=False):
        if difference := same_arms(a, b):
            return f"{method}: {difference}"
    return None
