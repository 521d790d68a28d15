"""Blocks: runs of one variant under one alpha for some seeds, in a file each.

Blocks and collected files are NetCDF-4, written with the netCDF4 package alone, because run jobs
must start fast. They contain no wall time, date or path: the same study gives the same bytes on any
number of cores, and collected files are the same for any block size.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tvgp.study.data import field
from tvgp.study.execution import files, netcdf, pieces
from tvgp.study.run import build
from tvgp.study.run.job import RunJob
from tvgp.study.run.world import World


@dataclass(frozen=True)
class BlockResult:
    """Runs of one variant, n seeds by T rounds.

    seeds (n,); arm, reward, regret, expert_queries, places (n, T); squared_error (n, n_arms) or None; asked
    (n, n_arms), queries by arm, None for a variant that asks after its choice alone; wall_seconds (n,) is not
    part of the result file.
    """

    seeds: np.ndarray
    arm: np.ndarray
    reward: np.ndarray
    regret: np.ndarray
    expert_queries: np.ndarray
    places: np.ndarray
    squared_error: np.ndarray | None
    wall_seconds: np.ndarray
    engine: str
    data: str
    n_arms: int
    asked: np.ndarray | None = None


@dataclass(frozen=True)
class Block:
    """A block as read from its file, with its attributes (`job` decoded)."""

    path: Path
    seeds: np.ndarray
    values: dict[str, np.ndarray]
    attributes: dict


@dataclass(frozen=True)
class Inputs:
    """The files that runs are made from. data: the played dataset, None for a synthetic environment; tuned:
    the tuned parameters, each in a file named after its variant."""

    fit: str
    data: str | None = None
    tuned: Sequence[Path] = ()

    def of(self, policy: str) -> tuple[list[str | Path], Path | None]:
        """The files behind the runs of a variant, and the one among them that holds its tuned parameter."""
        tuned = next((path for path in self.tuned if path.name.partition(".")[0] == policy), None)
        return [path for path in (self.fit, self.data, tuned) if path], tuned


def play(
    recipes: Sequence[Mapping[str, Any]], seeds: Sequence[int], inputs: Inputs, results: str | Path
) -> Iterator[tuple[Path, Path]]:
    """Play the blocks of these variants that are missing or damaged: files of runs and wall times of each.

    recipes: of an experiment's variants under one alpha, with versions and commit
    (`tvgp.study.execution.provenance.origin`); results: the folder of the study.
    """
    fit = files.read_object(inputs.fit)
    data = field.read_field(inputs.data) if inputs.data else None
    world = World.open(RunJob.from_params(recipes[0]["job"]).experiment, data)
    for made in recipes:
        job = RunJob.from_params(made["job"])
        given, tuned = inputs.of(job.policy)
        stem = f"{job.experiment.name}/{job.policy}/alpha-{job.alpha}/seeds-{seeds[0]}-{seeds[-1]}"
        name = pieces.named(stem, made, given)
        path, seconds = Path(results, "runs", f"{name}.nc"), Path(results, "timings/runs", f"{name}.json")
        if not pieces.finished(path, seconds):
            value = files.read_object(tuned)["value"] if tuned else None
            block = run_block(job, world, seeds, fit, value)
            write_block(path, block, {**job.names, **made})
            write_timings(seconds, block)
        yield path, seconds


def run_block(
    job: RunJob, world: World, seeds: Sequence[int], fit: Mapping[str, Any], tuned: Any = None
) -> BlockResult:
    """Runs of one variant under one alpha for some seeds; each run depends on its own seed only."""
    runs, errors, seconds = [], [], []
    for seed in seeds:
        started = time.perf_counter()
        run, engine, n_arms = build.run_once(job, world, seed, fit, tuned)
        runs.append(run)
        if run.squared_error is not None:
            errors.append(run.squared_error)
        seconds.append(time.perf_counter() - started)
    return BlockResult(
        seeds=np.array(seeds, dtype=np.int32),
        arm=np.stack([run.arm for run in runs]),
        reward=np.stack([run.reward for run in runs]),
        regret=np.stack([run.regret for run in runs]),
        expert_queries=np.stack([run.expert_queries for run in runs]),
        places=np.stack([run.places for run in runs]),
        squared_error=np.stack(errors) if errors else None,
        asked=np.array([run.asked for run in runs]) if job.queries != "after" else None,
        wall_seconds=np.array(seconds),
        engine=engine,
        data="synthetic" if world.field is None else world.field.attrs["source"],
        n_arms=n_arms,
    )


def write_block(path: str | Path, block: BlockResult, attributes: dict) -> None:
    """Write a block; `attributes` adds job, fingerprint, versions and commit (dicts as JSON)."""
    runs = ("seed", "round")
    with netcdf.writing(path) as file:
        file.createDimension("seed", len(block.seeds))
        file.createDimension("round", block.arm.shape[1])
        if block.squared_error is not None or block.asked is not None:
            file.createDimension("arm", block.n_arms)
        netcdf.put_numbers(file, "seed", ("seed",), block.seeds)
        netcdf.put_numbers(file, "arm", runs, block.arm, long_name="index of the chosen arm")
        for name in ("reward", "regret", "expert_queries", "places"):
            netcdf.put_numbers(file, name, runs, getattr(block, name))
        if block.squared_error is not None:
            described = "mean over rounds of (posterior mean - f_t)^2"
            netcdf.put_numbers(
                file, "squared_error", ("seed", "arm"), block.squared_error, long_name=described
            )
        if block.asked is not None:
            netcdf.put_numbers(file, "asked", ("seed", "arm"), block.asked, long_name="queries about the arm")
        own = {name: getattr(block, name) for name in ("engine", "data", "n_arms")}
        netcdf.set_attributes(file, attributes | own | {"horizon": block.arm.shape[1]})


def write_timings(path: str | Path, block: BlockResult) -> None:
    """Wall seconds of each run of a block, by seed."""
    rows = zip(block.seeds, block.wall_seconds, strict=True)
    files.write_object(path, {str(seed): round(float(seconds), 4) for seed, seconds in rows})


def read_block(path: str | Path) -> Block:
    """Read a block; ValueError naming the file for any other file."""
    path = Path(path)
    with netcdf.reading(path) as file:
        values = {name: variable[...] for name, variable in file.variables.items()}
        attributes = {name: file.getncattr(name) for name in file.ncattrs()}
    for name in ("seed", "arm", "reward", "regret", "expert_queries", "places"):
        if name not in values:
            raise ValueError(f"{path}: no variable {name!r}; expected a file written by rule run")
    attributes["job"] = json.loads(attributes["job"])
    return Block(path, values.pop("seed"), values, attributes)
