"""From a job to runs: policy, random streams, results.

A policy's own stream is named after the run's streams (see `tvgp.study.run.world`) and its variant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvgp import kernels, policies
from tvgp.contracts import Environment, Policy
from tvgp.plugins import types as typed
from tvgp.simulate import Run
from tvgp.study.run.job import RunJob
from tvgp.study.run.simulate_named import simulate_named
from tvgp.study.run.world import World

# Of the fit's parts for the models field and chosen.
FIELD = ("slow_share", "own_share", "l_fast", "l_slow")


def build_policy(
    job: RunJob, environment: Environment, rounds: int, fit: Mapping[str, Any], tuned: Any = None
) -> Policy:
    """A fresh policy on its `arguments`."""
    return policies.make(job.algorithm, **arguments(job, environment, rounds, fit, tuned))


def arguments(
    job: RunJob, environment: Environment, rounds: int, fit: Mapping[str, Any], tuned: Any = None
) -> dict[str, Any]:
    """Arguments of `policies.make`, without the algorithm's name.

    Values of parameters, the later ones over the earlier: what the study knows, where the algorithm has a
    parameter of that name (alpha, delta, epsilon, horizon, norm_bound, prior_mean, variation_budget and,
    under the models field and chosen, the parameters of Field-GP-UCB); the variant's own; those that it
    takes from the fit; the tuned one. The discount gamma is not among what the study knows: a policy uses
    the recommended one unless the configuration says otherwise. tuned: the value of the job's tuned
    parameter, or {from: fit, key: ...}. ValueError if it is missing.
    """
    fields, arms = policies.parameters(job.algorithm), environment.arms
    if job.model is not None:  # its kernel is a matrix over the sites
        fit, arms = {**fit, **fit[job.model]}, np.arange(float(len(arms)))[:, None]
    kernel = kernels.make(**fit["kernel"])
    values = {
        "alpha": _exponent(job, fit),
        "delta": job.delta,
        "epsilon": fit["epsilon"],
        "horizon": int(environment.times(rounds)[-1]),
        "norm_bound": environment.norm(1) if job.exact_norm else fit["norm_bound"],
        "prior_mean": _hashable(fit["prior_mean"]),
        **{name: fit.get(name) for name in FIELD},
    }
    # an empirical fit has no norm bound; a policy that needs one then uses its own default
    values = {k: value for k, value in values.items() if k in fields and value is not None}
    if "variation_budget" in fields:
        values["variation_budget"] = environment.variation_budget(rounds, kernel.variance)
    values |= job.parameters
    values |= {name: _fitted(job, name, key, fit) for name, key in job.from_fit.items()}
    if job.tuned is not None:
        if tuned is None:
            raise ValueError(f"variant {job.policy}: {job.tuned} has not been tuned")
        values[job.tuned] = tuned_value(job, tuned, fit)
    scale = {} if fit.get("log_scale") is None else {"log_scale": _hashable(fit["log_scale"])}
    return {"arms": arms, "kernel": kernel, "noise_variance": fit["noise_variance"], **scale, **values}


def run_once(
    job: RunJob, world: World, seed: int, fit: Mapping[str, Any], tuned: Any = None
) -> tuple[Run, str, int]:
    """One run, the name of the posterior engine and the number of arms."""
    environment = world.environment(job.alpha, seed)
    try:
        policy = build_policy(job, environment, world.rounds, fit, tuned)
        run = simulate_named(
            policy,
            environment,
            world.rounds,
            world.stream_names(job.alpha, seed),
            job.policy,
            queries=job.queries,
            squared_error=job.squared_error,
            first_arm=world.first_arm(job.alpha, seed, environment),
        )
    except ValueError as error:
        run_name = f"{job.experiment.name}, {job.policy}, alpha {job.alpha}, seed {seed}"
        raise ValueError(f"{run_name}: {error}") from error
    return run, policy.engine, len(environment.arms)


def _exponent(job: RunJob, fit: Mapping[str, Any]) -> float | None:
    """The drift exponent of the run; alpha "fit" stands for that of the fit, None if it has none."""
    return fit["alpha"] if job.alpha == "fit" else float(job.alpha)


def tuned_value(job: RunJob, value: Any, fit: Mapping[str, Any]) -> Any:
    """A value of the job's tuned parameter: itself, or that of the fit for {from: fit, key: ...}."""
    return _fitted(job, str(job.tuned), value["key"], fit) if isinstance(value, Mapping) else value


def _hashable(value: Any) -> Any:
    """A list, as JSON gives it, as a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _fitted(job: RunJob, name: str, key: str, fit: Mapping[str, Any]) -> Any:
    """The value of the fit for a parameter."""
    value = _hashable(fit[key])
    fault = typed.fault(policies.declaration(job.algorithm), name, value)
    if fault:
        raise ValueError(f"parameter {name}, {key} of the fit: {fault}")
    return value
