"""From blocks of runs to the collected grid of an experiment and the summary of the study."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

from tvgp.study import files
from tvgp.study.run import blocks as results

PER_ROUND = ("arm", "reward", "regret", "expert_queries")

SUMMARY_COLUMNS = (
    "experiment",
    "policy",
    "alpha",
    "seed",
    "horizon",
    "cumulative_regret",
    "average_regret",
    "final_regret",
    "expert_queries",
    "evaluations",
    "engine",
    "data",
)


@dataclass(frozen=True)
class Grid:
    """The runs that an experiment must have: every policy x alpha x seed, once."""

    policies: tuple[str, ...]
    alphas: tuple[str, ...]
    seeds: tuple[int, ...]


def gather(paths: Iterable[str | Path], experiment: str, grid: Grid) -> dict:
    """Arrays over (policy, alpha, seed, round) from block files in any order.

    Returns {variable: array} for `PER_ROUND`, `squared_error` (NaN where a policy has no model;
    absent when no block has it), `engine` (policy, alpha), and `data`, `horizon`, `provenance`.
    ValueError, naming the file, where a block is foreign, double or of another length, and where
    a run is missing.
    """
    blocks = sorted((results.read_block(path) for path in paths), key=lambda b: str(b.path))
    if not blocks:
        raise ValueError(f"experiment {experiment}: there is no file of runs to collect")
    shape = (len(grid.policies), len(grid.alphas), len(grid.seeds))
    horizon = int(blocks[0].attributes["horizon"])
    seen = np.zeros(shape, dtype=bool)
    arrays = {
        name: np.zeros((*shape, horizon), dtype=np.int32 if name in PER_ROUND[::3] else float)
        for name in PER_ROUND
    }
    engine = np.full(shape[:2], "", dtype=object)
    if any("squared_error" in block.values for block in blocks):
        n_arms = int(blocks[0].attributes["n_arms"])
        arrays["squared_error"] = np.full((*shape, n_arms), np.nan)
    for block in blocks:
        p, a, rows = _place(block, experiment, grid)
        if seen[p, a, rows].any():
            seed = block.seeds[seen[p, a, rows].argmax()]
            raise ValueError(f"{block.path}: seed {seed} was already given by another file")
        if int(block.attributes["horizon"]) != horizon:
            raise ValueError(
                f"{block.path}: {block.attributes['horizon']} rounds, "
                f"but {blocks[0].path} has {horizon}; remove the older of the two"
            )
        seen[p, a, rows] = True
        for name in arrays.keys() & block.values.keys():
            arrays[name][p, a, rows] = block.values[name]
        engine[p, a] = block.attributes["engine"]
    _refuse_gaps(seen, experiment, grid)
    return arrays | {
        "engine": engine,
        "horizon": horizon,
        "data": _single(blocks, "data"),
        "provenance": {
            name: sorted({str(block.attributes[name]) for block in blocks})
            for name in ("commit", "fingerprint", "versions")
        },
    }


def collect(path: str | Path, blocks: Iterable[str | Path], job: dict, arms: dict, fit: str) -> None:
    """Gather the blocks of an experiment and write its collected file.

    job: see `configuration.collect_job`; arms: see `study.describe_arms`; fit: text of the fit's
    JSON file. ValueError for an incomplete grid or a run that is there twice.
    """
    policies = job["policies"]
    grid = Grid(tuple(policies), tuple(job["alphas"]), tuple(range(1, job["seeds"] + 1)))
    gathered = gather(blocks, job["experiment"], grid)
    per_policy = {
        key: [definition[key] for definition in policies.values()] for key in ("label", "group", "algorithm")
    }
    names = {key: job[key] for key in ("experiment", "title", "units", "round_label")}
    substitute = json.loads(fit).get("substitute")
    if substitute:  # every figure and caption shows the title
        names["title"] += f" ({substitute})"
    write(path, gathered, grid, per_policy, arms, names | {"fit": fit})


def write(path: str | Path, gathered: dict, grid: Grid, per_policy: dict, arms: dict, attributes):
    """Write the collected file of one experiment.

    `per_policy` maps label, group and algorithm to one string per policy; `arms` maps `arms`
    (n_arms, d) and, on real data, lat, lon, site (n_arms,), time (horizon,) and reading
    (horizon, n_arms).
    """
    with files.replacing(path) as temporary, netCDF4.Dataset(temporary, "w") as file:
        for name, size in (
            ("policy", len(grid.policies)),
            ("alpha", len(grid.alphas)),
            ("seed", len(grid.seeds)),
            ("round", gathered["horizon"]),
            ("arm", len(arms["arms"])),
            ("dimension", arms["arms"].shape[1]),
        ):
            file.createDimension(name, size)
        results.put_strings(file, "policy", ("policy",), grid.policies)
        results.put_strings(file, "alpha", ("alpha",), grid.alphas)
        results.put_numbers(file, "seed", ("seed",), np.array(grid.seeds))
        runs = ("policy", "alpha", "seed")
        for name in PER_ROUND:
            results.put_numbers(file, name, (*runs, "round"), gathered[name])
        if "squared_error" in gathered:
            results.put_numbers(file, "squared_error", (*runs, "arm"), gathered["squared_error"])
        results.put_strings(file, "engine", ("policy", "alpha"), gathered["engine"])
        for name, values in per_policy.items():
            results.put_strings(file, name, ("policy",), values)
        results.put_numbers(file, "arms", ("arm", "dimension"), arms["arms"])
        for name in ("lat", "lon"):
            if name in arms:
                results.put_numbers(file, name, ("arm",), arms[name])
        if "reading" in arms:
            results.put_numbers(file, "reading", ("round", "arm"), arms["reading"])
        for name, dimension in (("site", "arm"), ("time", "round")):
            if name in arms:
                results.put_strings(file, name, (dimension,), arms[name])
        results.set_attributes(
            file,
            attributes | {name: gathered[name] for name in ("data", "horizon", "provenance")},
        )


def read(path: str | Path) -> tuple[dict[str, np.ndarray], dict]:
    """Variables and attributes of a collected file."""
    try:
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            values = {name: variable[...] for name, variable in file.variables.items()}
            return values, {name: file.getncattr(name) for name in file.ncattrs()}
    except (OSError, RuntimeError) as error:
        raise ValueError(f"{path}: not a readable NetCDF file ({error})") from error


def summary(collected: Sequence[str | Path]) -> list[dict]:
    """One row per (experiment, policy, alpha, seed), in the order of the collected files.

    Regret in the units of the reward; `evaluations` counts plays and expert queries together.
    """
    rows = []
    for path in collected:
        values, attributes = read(path)
        regret = values["regret"]
        for p, a, s in np.ndindex(regret.shape[:3]):
            horizon = regret.shape[3]
            total = float(regret[p, a, s].sum())
            queries = int(values["expert_queries"][p, a, s].sum())
            rows.append(
                {
                    "experiment": attributes["experiment"],
                    "policy": values["policy"][p],
                    "alpha": values["alpha"][a],
                    "seed": int(values["seed"][s]),
                    "horizon": horizon,
                    "cumulative_regret": repr(total),
                    "average_regret": repr(total / horizon),
                    "final_regret": repr(float(regret[p, a, s, -1])),
                    "expert_queries": queries,
                    "evaluations": horizon + queries,
                    "engine": values["engine"][p, a],
                    "data": attributes["data"],
                }
            )
    return rows


def write_summary(path: str | Path, collected: Sequence[str | Path]) -> None:
    """Write `summary` as CSV."""
    _write_rows(path, SUMMARY_COLUMNS, summary(collected))


def write_timing(path: str | Path, timings: Iterable[str | Path]) -> None:
    """Write the wall seconds of all runs, from .../<experiment>/<policy>/alpha-<alpha>/*.csv."""
    rows = []
    for timing in map(Path, timings):
        experiment, policy, alpha = timing.parts[-4:-1]
        with open(timing, newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                place = {"experiment": experiment, "policy": policy}
                rows.append(place | {"alpha": alpha.removeprefix("alpha-")} | row)
    _write_rows(path, ("experiment", "policy", "alpha", "seed", "wall_seconds"), rows)


def _write_rows(path: str | Path, columns: Sequence[str], rows: Iterable[dict]) -> None:
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    files.write_text(path, text.getvalue())


def _place(block: results.Block, experiment: str, grid: Grid) -> tuple[int, int, list[int]]:
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


def _single(blocks: list[results.Block], name: str) -> str:
    """The value of an attribute that all blocks must share."""
    found = {str(block.attributes[name]): block.path for block in blocks}
    if len(found) > 1:
        (one, first), (two, second) = list(found.items())[:2]
        raise ValueError(f"{first} has {name} {one!r}, {second} has {two!r}: rerun the older one")
    return next(iter(found))
