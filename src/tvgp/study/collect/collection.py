"""Join blocks of runs into the collected grid of an experiment, and their wall times into a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tvgp.study.collect.job import CollectJob
from tvgp.study.execution import files, netcdf, provenance
from tvgp.study.run import blocks

PER_ROUND = {
    "arm": np.int32,
    "reward": float,
    "regret": float,
    "expert_queries": np.int32,
    "places": np.int32,
}

PER_ARM = ("squared_error", "asked")  # in some blocks


@dataclass(frozen=True)
class Grid:
    """The runs of a complete experiment: every policy x alpha x seed, once."""

    policies: tuple[str, ...]
    alphas: tuple[str, ...]
    seeds: tuple[int, ...]


def joined(paths: Iterable[str | Path], experiment: str, grid: Grid) -> dict[str, Any]:
    """Arrays over (policy, alpha, seed, round) from block files in any order.

    Returns {variable: array} for `PER_ROUND`, for `PER_ARM` (NaN for a policy without, such as one that has
    no model; absent if no block has it), `engine` (policy, alpha), and `data`, `horizon`, `provenance`.
    ValueError naming the file for a foreign block, a duplicate seed or a different horizon, and for
    missing runs.
    """
    read_blocks = sorted((blocks.read_block(path) for path in paths), key=lambda b: str(b.path))
    if not read_blocks:
        raise ValueError(f"experiment {experiment}: no run files to collect")
    shape = (len(grid.policies), len(grid.alphas), len(grid.seeds))
    horizon = int(read_blocks[0].attributes["horizon"])
    seen = np.zeros(shape, dtype=bool)
    arrays = {name: np.zeros((*shape, horizon), dtype) for name, dtype in PER_ROUND.items()}
    engine = np.full(shape[:2], "", dtype=object)
    n_arms = int(read_blocks[0].attributes["n_arms"])
    for name in PER_ARM:
        if any(name in block.values for block in read_blocks):
            arrays[name] = np.full((*shape, n_arms), np.nan)
    for block in read_blocks:
        p, a, rows = _indices(block, experiment, grid)
        if seen[p, a, rows].any():
            seed = block.seeds[seen[p, a, rows].argmax()]
            raise ValueError(f"{block.path}: another file already has seed {seed}")
        if int(block.attributes["horizon"]) != horizon:
            raise ValueError(
                f"{block.path}: {block.attributes['horizon']} rounds, "
                f"but {read_blocks[0].path} has {horizon}; remove the older of the two"
            )
        seen[p, a, rows] = True
        for name in arrays.keys() & block.values.keys():
            arrays[name][p, a, rows] = block.values[name]
        engine[p, a] = block.attributes["engine"]
    _refuse_gaps(seen, experiment, grid)
    return arrays | {
        "engine": engine,
        "horizon": horizon,
        "data": _single(read_blocks, "data"),
        "provenance": provenance.merged(block.attributes for block in read_blocks),
    }


def collect(
    path: str | Path,
    paths: Iterable[str | Path],
    job: CollectJob,
    arms: dict[str, np.ndarray],
    card: Mapping[str, Any],
    fit: Mapping[str, Any],
    tuned: Iterable[Mapping[str, Any]],
    recipe: str,
) -> None:
    """Join the blocks of an experiment and write its collected file.

    arms: see `World.describe_arms`; card: see `card.of_world`; fit: content of its file; tuned: those of
    the tuned parameters; recipe: digest to store.
    ValueError for an incomplete grid or a duplicate run.
    """
    grid = Grid(tuple(job.policies), tuple(job.alphas), tuple(range(1, job.seeds + 1)))
    arrays = joined(paths, job.experiment.name, grid)
    anomaly = fit.get("anomaly", "").replace("_", " by ")
    remarks = [fit.get("substitute"), f"anomalies, {anomaly}" if anomaly else None]
    remark = ", ".join(filter(None, remarks))
    attributes = {
        "experiment": job.experiment.name,
        # every figure and caption shows the title
        "title": f"{job.title} ({remark})" if remark else job.title,
        "units": job.units,
        "round_label": job.round_label,
        # seeds that do not choose the first arm vary ties and subsets only: rounds are the sample
        "sampled": "rounds" if job.experiment.dataset and not job.experiment.first_arms else "runs",
        "card": dict(card),
        "fit": dict(fit),
        "tuned": {record["policy"]: dict(record) for record in tuned},
        "recipe": recipe,
    }
    per_policy = {
        "label": job.labels,
        "group": job.groups,
        "algorithm": job.algorithms,
        "queries": job.queries,
        "ours": job.ours,
    }
    write(path, arrays, grid, per_policy, arms, attributes)


def write(path: str | Path, arrays: dict, grid: Grid, per_policy: dict, arms: dict, attributes: dict) -> None:
    """Write the collected file of one experiment.

    `per_policy` maps label, group, algorithm and queries to one string per policy; `arms` maps `arms`
    (n_arms, d) and, on real data, lat, lon, site (n_arms,), time (horizon,), reading (horizon, n_arms) and
    its long_name ().
    """
    with netcdf.writing(path) as file:
        for name, size in (
            ("policy", len(grid.policies)),
            ("alpha", len(grid.alphas)),
            ("seed", len(grid.seeds)),
            ("round", arrays["horizon"]),
            ("arm", len(arms["arms"])),
            ("dimension", arms["arms"].shape[1]),
        ):
            file.createDimension(name, size)
        netcdf.put_strings(file, "policy", ("policy",), grid.policies)
        netcdf.put_strings(file, "alpha", ("alpha",), grid.alphas)
        netcdf.put_numbers(file, "seed", ("seed",), np.array(grid.seeds))
        runs = ("policy", "alpha", "seed")
        for name in PER_ROUND:
            netcdf.put_numbers(file, name, (*runs, "round"), arrays[name])
        for name in PER_ARM:
            if name in arrays:
                netcdf.put_numbers(file, name, (*runs, "arm"), arrays[name])
        netcdf.put_strings(file, "engine", ("policy", "alpha"), arrays["engine"])
        for name, values in per_policy.items():
            netcdf.put_strings(file, name, ("policy",), values)
        netcdf.put_numbers(file, "arms", ("arm", "dimension"), arms["arms"])
        for name in ("lat", "lon"):
            if name in arms:
                netcdf.put_numbers(file, name, ("arm",), arms[name])
        if "reading" in arms:
            long_name = str(arms.get("long_name", ""))
            netcdf.put_numbers(file, "reading", ("round", "arm"), arms["reading"], long_name=long_name)
        for name, dimension in (("site", "arm"), ("time", "round")):
            if name in arms:
                netcdf.put_strings(file, name, (dimension,), arms[name])
        netcdf.set_attributes(
            file,
            attributes | {name: arrays[name] for name in ("data", "horizon", "provenance")},
        )


def read(path: str | Path) -> tuple[dict[str, np.ndarray], dict]:
    """Variables and attributes of a collected file."""
    with netcdf.reading(path) as file:
        values = {name: variable[...] for name, variable in file.variables.items()}
        return values, {name: file.getncattr(name) for name in file.ncattrs()}


def write_timing(path: str | Path, timings: Iterable[str | Path]) -> None:
    """Write the wall seconds of all runs, from .../<experiment>/<policy>/alpha-<alpha>/*.json."""
    rows = []
    for timing in map(Path, timings):
        experiment, policy, alpha = timing.parts[-4:-1]
        run = {"experiment": experiment, "policy": policy, "alpha": alpha.removeprefix("alpha-")}
        for seed, seconds in sorted(files.read_object(timing).items(), key=lambda item: int(item[0])):
            rows.append(run | {"seed": seed, "wall_seconds": f"{seconds:.4f}"})
    columns = ("experiment", "policy", "alpha", "seed", "wall_seconds")
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    files.write_text(path, text.getvalue())


def _indices(block: blocks.Block, experiment: str, grid: Grid) -> tuple[int, int, list[int]]:
    """Indices of a block in the grid."""
    attributes = block.attributes
    if attributes["experiment"] != experiment:
        raise ValueError(f"{block.path}: belongs to experiment {attributes['experiment']}")
    for name, known in (("policy", grid.policies), ("alpha", grid.alphas)):
        if attributes[name] not in known:
            raise ValueError(f"{block.path}: {name} {attributes[name]!r} is not in the config")
    foreign = [int(seed) for seed in block.seeds if seed not in grid.seeds]
    if foreign:
        raise ValueError(f"{block.path}: seed {foreign[0]} is not in the config")
    return (
        grid.policies.index(attributes["policy"]),
        grid.alphas.index(attributes["alpha"]),
        [grid.seeds.index(int(seed)) for seed in block.seeds],
    )


def _refuse_gaps(seen: np.ndarray, experiment: str, grid: Grid) -> None:
    if not seen.all():
        p, a, s = np.argwhere(~seen)[0]
        raise ValueError(
            f"experiment {experiment}: {int((~seen).sum())} of {seen.size} runs are missing, first "
            f"policy {grid.policies[p]}, alpha {grid.alphas[a]}, seed {grid.seeds[s]}"
        )


def _single(read_blocks: list[blocks.Block], name: str) -> str:
    """The value of an attribute, which must be the same in all blocks."""
    paths = {str(block.attributes[name]): block.path for block in read_blocks}
    if len(paths) > 1:
        (value, first), (other, second) = list(paths.items())[:2]
        raise ValueError(f"{first} has {name} {value!r}, {second} has {other!r}; delete the older one")
    return next(iter(paths))
