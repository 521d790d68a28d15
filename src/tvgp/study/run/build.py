"""From a job definition to runs: environment, policy, random streams.

A job definition (see `configuration.run_job`) holds all that the numbers depend on. Streams are
keyed by (experiment, alpha, seed): every policy of an experiment meets the same environment and
the same noise; a policy's own stream adds its name. Training streams start with "training".
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from tvgp import environments, kernels, policies, streams
from tvgp.contracts import Environment, Policy
from tvgp.plugins import types as typed
from tvgp.simulate import Run, simulate
from tvgp.study.data import field
from tvgp.study.run.blocks import BlockResult


def stream_names(job: dict, seed: int, training: bool = False) -> tuple[str | int, ...]:
    """First names of all streams of a run."""
    names = (job["experiment"], job["alpha"], seed)
    return ("training", *names) if training else names


def build_environment(
    job: dict, seed: int, data: field.Field | None = None, training: bool = False
) -> Environment:
    """The environment of a run: the job's synthetic family, or the field `data`.

    Times at which no site reports are no rounds. Families that draw something (an `rng`
    parameter) draw it from the run's environment stream; those with a drift exponent or a horizon
    get the job's, unless the configuration gives them its own.
    """
    if data is not None:
        values = data.value[_rounds(job, data)]
        return environments.make("field", arms=field_arms(data), values=values)
    name, values = job["environment"]["name"], dict(job["environment"].get("parameters", {}))
    known = environments.parameters(name)
    if "alpha" in known and job["alpha"] != "fit":  # a fit has the family's own
        values.setdefault("alpha", float(job["alpha"]))
    if "horizon" in known:
        values.setdefault("horizon", int(job["horizon"]))
    if "rng" in known:
        values["rng"] = streams.generator(*stream_names(job, seed, training), "environment")
    return environments.make(name, **values)


def field_arms(data: field.Field) -> np.ndarray:
    """Kernel inputs of the sites, (sites, d), in the coordinates that the field asks for."""
    return field.coordinates(data.lat, data.lon, data.attrs["coordinates"])


def describe_arms(job: dict, data: field.Field | None) -> dict[str, np.ndarray]:
    """arms (n_arms, d) and, on data, lat, lon, site (n_arms,), time (rounds,) and reading
    (rounds, n_arms)."""
    if data is None:
        return {"arms": build_environment(job | {"alpha": job["alphas"][0]}, 1).arms}
    times = data.time[_rounds(job, data)][: horizon(job, data)]
    positions = {"lat": data.lat, "lon": data.lon, "site": data.site}
    dates = np.datetime_as_string(times)  # to the day, or to the minute within days
    readings = data.value[_rounds(job, data)][: len(times)]
    return {"arms": field_arms(data), **positions, "time": dates, "reading": readings}


def horizon(job: dict, data: field.Field | None) -> int:
    """Number of rounds: the job's own, on data at most the times there are."""
    if data is None:
        return int(job["horizon"])
    available = int(_rounds(job, data).sum())
    return available if job["horizon"] is None else min(int(job["horizon"]), available)


def build_policy(
    job: dict, environment: Environment, rounds: int, fit: dict, tuned: dict | None = None
) -> Policy:
    """A fresh policy: explicit parameters first, then what the study knows.

    An algorithm receives alpha, delta, epsilon, horizon, norm_bound, prior_mean and
    variation_budget where it has a parameter of that name. The discount gamma is not among them:
    a policy uses the recommended one unless the configuration says otherwise.
    """
    algorithm = job["algorithm"]
    fields = policies.parameters(algorithm)
    kernel = kernels.make(**fit["kernel"])
    values = {
        "alpha": float(job["alpha"]),
        "delta": float(job["model"]["delta"]),
        "epsilon": fit["epsilon"],
        "horizon": rounds,
        "norm_bound": fit["norm_bound"],
        "prior_mean": _hashable(fit["prior_mean"]),
    }
    if job["model"].get("norm_bound") == "exact":
        values["norm_bound"] = norm = environment.norm(1)
        if norm is None:
            raise ValueError(f"norm_bound is exact, but {environment!r} has no known norm; give a number")
    # an empirical fit has no norm bound; a policy that needs one then uses its own default
    values = {k: value for k, value in values.items() if k in fields and value is not None}
    if "variation_budget" in fields:
        values["variation_budget"] = _variation_budget(environment, rounds, kernel)
    for name, value in job["parameters"].items():
        values[name] = _resolved(name, value, job, fit, tuned)
    return policies.make(
        algorithm,
        arms=environment.arms,
        kernel=kernel,
        noise_variance=fit["noise_variance"],
        **values,
    )


def run_once(
    job: dict,
    seed: int,
    fit: dict,
    tuned: dict | None = None,
    data: field.Field | None = None,
    training: bool = False,
) -> tuple[Run, str, int]:
    """One run, the name of the posterior engine and the number of arms."""
    environment = build_environment(job, seed, data, training)
    rounds = horizon(job, data)
    n_arms, names = len(environment.arms), stream_names(job, seed, training)
    try:
        policy = build_policy(job, environment, rounds, fit, tuned)
        run = simulate(
            policy,
            environment,
            rounds,
            rng=streams.generator(*names, "policy", job["policy"]),
            **streams.noise_fields(n_arms, *names),
            squared_error=job["squared_error"],
            first_arm=first_arm(job, seed, environment),
        )
    except ValueError as error:
        place = f"{job['experiment']}, {job['policy']}, alpha {job['alpha']}, seed {seed}"
        raise ValueError(f"{place}: {error}") from error
    return run, policy.engine, n_arms


def first_arm(job: dict, seed: int, environment: Environment) -> int | None:
    """The arm of round 1, the same for every policy, where the experiment prescribes one.

    With the setting `first_arms` seed s starts at the s-th of a random order of the arms that are
    available in round 1: seeds are first arms (Bogunovic16, section 5.2).
    """
    if not (job.get("settings") or {}).get("first_arms"):
        return None
    here = np.flatnonzero(np.isfinite(environment.mean_rewards(1)))
    rng = streams.generator(job["experiment"], job["alpha"], "first arms")
    return int(rng.permutation(here)[(seed - 1) % len(here)])


def run_block(
    job: dict,
    seeds: Sequence[int],
    fit: dict,
    tuned: dict | None = None,
    data: field.Field | None = None,
) -> BlockResult:
    """Runs of one variant under one alpha for some seeds; each run depends on its own seed only."""
    runs, seconds = [], []
    for seed in seeds:
        started = time.perf_counter()
        run, engine, n_arms = run_once(job, seed, fit, tuned, data)
        runs.append(run)
        seconds.append(time.perf_counter() - started)
    errors = [run.squared_error for run in runs]
    return BlockResult(
        seeds=np.array(seeds, dtype=np.int32),
        arm=np.stack([run.arm for run in runs]),
        reward=np.stack([run.reward for run in runs]),
        regret=np.stack([run.regret for run in runs]),
        expert_queries=np.stack([run.expert_queries for run in runs]),
        squared_error=np.stack(errors) if job["squared_error"] else None,
        wall_seconds=np.array(seconds),
        engine=engine,
        data="synthetic" if data is None else data.attrs["source"],
        n_arms=n_arms,
    )


def _rounds(job: dict, data: field.Field) -> np.ndarray:
    """Mask of the times that are rounds: at least one site has a value, and the time lies on the
    day that the setting `test_day` (1, 2, ...) picks, where there is one."""
    reporting = np.isfinite(data.value).any(axis=1)
    number = (job.get("settings") or {}).get("test_day")
    if number is None:
        return reporting
    days = data.time.astype("datetime64[D]")
    known = np.unique(days[reporting])
    if not isinstance(number, int) or not 1 <= number <= len(known):
        raise ValueError(f"experiment {job['experiment']}: test_day {number} of {len(known)} days")
    return reporting & (days == known[number - 1])


def _hashable(value):
    """A list, as JSON gives it, as a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _variation_budget(environment: Environment, rounds: int, kernel) -> float | None:
    """B_T in the RKHS norm; a path length in the sup norm is divided by M_k = sqrt(k(x, x))."""
    budget = environment.variation(rounds)
    if budget is not None and environment.variation_norm == "sup":
        budget /= np.sqrt(kernel.variance)
    return budget


def _resolved(name: str, value, job: dict, fit: dict, tuned: dict | None):
    """A parameter's value: given, fitted, a setting of the experiment, or tuned."""
    if not isinstance(value, dict):
        return value
    if "tune" in value:
        if tuned is None:
            raise ValueError(f"variant {job['policy']}: {name} has not been tuned")
        return tuned["value"]
    place, key = value["from"], value["key"]
    found = _hashable((fit if place == "fit" else job["settings"])[key])
    fault = typed.fault(policies.declaration(job["algorithm"]), name, found)
    if fault:
        raise ValueError(f"parameter {name}, {key} of the {place}: {fault}")
    return found
