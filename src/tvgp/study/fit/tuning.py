"""Tuning of parameters on training data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tvgp.study.data import field
from tvgp.study.execution import files, pieces
from tvgp.study.fit import cross_validation
from tvgp.study.fit.job import TuneJob
from tvgp.study.run import build
from tvgp.study.run.world import World


def choose(
    recipes: Sequence[Mapping[str, Any]], fit: str, train: str | None, folder: str | Path
) -> Iterator[Path]:
    """Choose those tuned parameters of an experiment's variants that are missing or damaged: files of all.

    fit, train: files of the experiment's fit and of the training part of its dataset, None for a synthetic
    environment; folder: of the tuned parameters of the experiment.
    """
    fitted = files.read_object(fit)
    jobs = [TuneJob.from_params(made["job"]) for made in recipes]
    training = open_training(jobs[0], field.read_field(train) if train else None)
    for job, made in zip(jobs, recipes, strict=True):
        name = pieces.named(job.run.policy, made, [path for path in (fit, train) if path])
        path = Path(folder, f"{name}.json")
        if not pieces.finished(path):
            files.write_object(path, {**tune(job, fitted, training), **made})
        yield path


def tune(job: TuneJob, fit: Mapping[str, Any], training: World | field.Field) -> dict[str, Any]:
    """Content of results/tuned/<experiment>/<policy>.<digest>.json: the grid value with the least
    mean average regret in training, with the job's price for each query, the first of equal ones. training:
    see `open_training`.
    """
    if isinstance(training, World):
        chosen = _by_runs(job, fit, training)
    else:
        chosen = _over_days(job, training, job.days or {})
    names = {"experiment": job.run.experiment.name, "policy": job.run.policy, "parameter": job.run.tuned}
    return names | {"source": fit["source"]} | chosen


def open_training(job: TuneJob, data: field.Field | None = None) -> World | field.Field:
    """What all variants of an experiment are tuned on: the world of its training runs or, for an empirical
    kernel, the training part of its data, which is `data`."""
    if job.days is not None and data is not None:
        return data
    return World.open(job.run.experiment, data, training=True)


def _by_runs(job: TuneJob, fit: Mapping[str, Any], world: World) -> dict[str, Any]:
    """By training runs with random streams of their own; on data they play the training part.

    regret and queries: average regret and expert queries per round of each run, (grid, seeds).
    """
    seeds = range(1, job.seeds + 1)
    grid = [build.tuned_value(job.run, value, fit) for value in job.grid]
    runs = [[build.run_once(job.run, world, seed, fit, value)[0] for seed in seeds] for value in grid]
    regret = [[float(run.regret.mean()) for run in each] for each in runs]
    queries = [[float(run.expert_queries.mean()) for run in each] for each in runs]
    means = [float(np.mean(each)) for each in regret]
    best = int(np.argmin(means + job.price * np.mean(queries, axis=1)))
    return {
        "value": grid[best],
        "grid": grid,
        "average_regret": means,
        "regret": regret,
        "queries": queries,
        "training_seeds": job.seeds,
        "rounds": world.rounds,
        "at_edge_of_grid": grid[best] in (min(grid), max(grid)),
    }


def _over_days(job: TuneJob, data: field.Field, empirical: Mapping[str, Any]) -> dict[str, Any]:
    """The block length of R-GP-UCB by cross-validation over the training days."""
    days = data.time.astype("datetime64[D]").tolist()
    times = field.elapsed(data)
    chosen = cross_validation.block_length(data.value, days, times, job.grid, job.run.parameters, **empirical)
    return {"training_seeds": data.value.shape[1], "rounds": len(data.time), **chosen}
