"""What is learnt on training data before any run counts: the fit, and tuned parameters."""

from __future__ import annotations

import numpy as np

from tvgp import fitting, streams
from tvgp.study.data import field
from tvgp.study.fit import cross_validation
from tvgp.study.fit.experiment import fit_experiment
from tvgp.study.run import build


def fit(job: dict, data: field.Field | None = None) -> dict:
    """Content of results/fits/<experiment>.json, from the training part of the data or from an
    independent training run of the environment. Numbers in the job's model are given, not fitted.
    """
    experiment, model, training = job["experiment"], job["model"], job["training"]
    if model["kernel"] == "empirical":
        return _empirical(job, data)
    if training is None:
        return _given(job, data)
    rng = streams.generator("training", experiment, "fit")
    if data is None:
        rounds = max(int(job["horizon"]), training["queries"])
        own = job | {"alpha": "fit", "horizon": rounds}
        environment = build.build_environment(own, 0, training=True)
        observed = fitting.from_environment(environment, rng, rounds=training["queries"])
        coordinate_units = "1"
    else:
        observed = fitting.from_field(
            data.value,
            build.field_arms(data),
            rng,
            source=data.attrs["source"],
            max_points=training["queries"],
        )
        coordinate_units = data.attrs["coordinates"]
    given = {key: value for key, value in model.items() if key not in ("kernel", "delta")}
    return fit_experiment(
        experiment,
        observed,
        rng=rng,
        kernel_name=model["kernel"],
        given={key: float(value) for key, value in given.items() if value != "fit"},
        starts=training["starts"],
        value_units=job["units"],
        coordinate_units=coordinate_units,
        round_units=job["round_label"],
    )


def _given(job: dict, data: field.Field | None) -> dict:
    """A fit in which nothing is estimated: every number stands in the configuration, the norm
    bound there or, where it is exact, in each run's environment."""
    model, units = job["model"], job["units"]
    norm = model["norm_bound"]
    squared = units if units == "1" else f"({units})^2"
    return {
        "experiment": job["experiment"],
        "source": "synthetic" if data is None else data.attrs["source"],
        "kernel": {
            "name": model["kernel"],
            "variance": float(model["variance"]),
            "length_scale": float(model["length_scale"]),
        },
        "noise_variance": float(model["noise_variance"]),
        "epsilon": None,
        "alpha": None,
        "gamma": None,
        "norm_bound": None if norm == "exact" else float(norm),
        "prior_mean": float(model["prior_mean"]),
        "estimated": [],
        "bounds_hit": [],
        "units": {
            "variance": squared,
            "noise_variance": squared,
            "norm_bound": "1",
            "length_scale": "1" if data is None else data.attrs["coordinates"],
            "prior_mean": units,
        },
    }


def tune(job: dict, fitted: dict, data: field.Field | None = None) -> dict:
    """The value of the grid with the least mean average regret over training seeds.

    Training seeds use streams of their own; on data the training part is played. The first of
    equal values is taken.
    """
    if "covariance" in fitted["kernel"]:
        return _cross_validated(job, fitted, data)
    name = job["tuned_parameter"]
    grid = job["parameters"][name]["tune"]
    seeds = range(1, int(job["seeds"]) + 1)
    regret = []
    for value in grid:
        runs = [build.run_once(job, seed, fitted, {"value": value}, data, training=True)[0] for seed in seeds]
        regret.append(float(np.mean([run.regret.mean() for run in runs])))
    return {
        "experiment": job["experiment"],
        "policy": job["policy"],
        "parameter": name,
        "value": grid[int(np.argmin(regret))],
        "grid": grid,
        "average_regret": regret,
        "training_seeds": len(seeds),
        "rounds": build.horizon(job, data),
        "at_edge_of_grid": int(np.argmin(regret)) in (0, len(grid) - 1),
        "source": fitted["source"],
    }


def _empirical(job: dict, data: field.Field) -> dict:
    """Empirical covariance and epsilon; days are stretches of their own where independent."""
    model = job["model"]
    days = data.time.astype("datetime64[D]")
    given = {} if model["epsilon"] == "fit" else {"epsilon": float(model["epsilon"])}
    fit = fitting.fit_empirical(
        job["experiment"],
        data.value,
        days if model["independent_days"] else np.zeros(len(days)),
        source=data.attrs["source"],
        centre=model["centre"],
        noise_fraction=model["noise_fraction"],
        value_units=job["units"],
        round_units=job["round_label"],
        **given,
    )
    substitute = data.attrs.get("substitute")
    return fit | ({"substitute": substitute} if substitute else {})


def _cross_validated(job: dict, fitted: dict, data: field.Field) -> dict:
    """The block length of R-GP-UCB by cross-validation over the training days."""
    if job["algorithm"] != "r_gp_ucb" or job["tuned_parameter"] != "block_length":
        raise ValueError(
            f"variant {job['policy']}: an empirical kernel has R-GP-UCB's block_length tuned only"
        )
    settings = job["settings"] or {}
    if not {"c1", "c2"} <= set(settings):
        raise ValueError(f"experiment {job['experiment']}: settings lack c1 or c2, for the tuning")
    found = cross_validation.block_length(
        data.value,
        data.time.astype("datetime64[D]"),
        job["parameters"]["block_length"]["tune"],
        c1=settings["c1"],
        c2=settings["c2"],
        centre=job["model"]["centre"],
        noise_fraction=job["model"]["noise_fraction"],
    )
    return {
        "experiment": job["experiment"],
        "policy": job["policy"],
        "parameter": "block_length",
        "training_seeds": data.value.shape[1],
        "rounds": len(data.time),
        "source": fitted["source"],
        **found,
    }
