"""Tuning of parameters on training data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvgp.study.data import field
from tvgp.study.fit import cross_validation
from tvgp.study.fit.job import TuneJob
from tvgp.study.run import build
from tvgp.study.run.world import World


def tune(job: TuneJob, fit: Mapping[str, Any], data: field.Field | None = None) -> dict[str, Any]:
    """Content of results/tuned/<experiment>/<policy>.json: the grid value with the least
    mean average regret in training, the first of equal ones. data: the training part.
    """
    if job.days is not None and data is not None:
        chosen = _over_days(job, data, job.days)
    else:
        chosen = _by_runs(job, fit, data)
    names = {"experiment": job.run.experiment.name, "policy": job.run.policy, "parameter": job.run.tuned}
    return names | {"source": fit["source"]} | chosen


def _by_runs(job: TuneJob, fit: Mapping[str, Any], data: field.Field | None) -> dict[str, Any]:
    """By training runs with random streams of their own; on data they play the training part."""
    world = World.open(job.run.experiment, data, training=True)
    seeds = range(1, job.seeds + 1)
    regret = []
    for value in job.grid:
        runs = [build.run_once(job.run, world, seed, fit, value)[0] for seed in seeds]
        regret.append(float(np.mean([run.regret.mean() for run in runs])))
    best = int(np.argmin(regret))
    return {
        "value": job.grid[best],
        "grid": job.grid,
        "average_regret": regret,
        "training_seeds": job.seeds,
        "rounds": world.rounds,
        "at_edge_of_grid": best in (0, len(job.grid) - 1),
    }


def _over_days(job: TuneJob, data: field.Field, empirical: Mapping[str, Any]) -> dict[str, Any]:
    """The block length of R-GP-UCB by cross-validation over the training days."""
    days = data.time.astype("datetime64[D]").tolist()
    times = field.elapsed(data)
    chosen = cross_validation.block_length(data.value, days, times, job.grid, job.run.parameters, **empirical)
    return {"training_seeds": data.value.shape[1], "rounds": len(data.time), **chosen}
