"""Block files: runs of one policy variant under one alpha for some seeds.

Blocks and collected files are NetCDF-4, written with the netCDF4 package alone, because run jobs
must start fast. They contain no wall time, date or path: the same study gives the same bytes on any
number of cores, and collected files are the same for any block size.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

from tvgp.study.execution import files, netcdf


@dataclass(frozen=True)
class BlockResult:
    """Runs of one variant, n seeds by T rounds.

    seeds (n,); arm, reward, regret, expert_queries (n, T); squared_error (n, n_arms) or None;
    wall_seconds (n,) is not part of the result file.
    """

    seeds: np.ndarray
    arm: np.ndarray
    reward: np.ndarray
    regret: np.ndarray
    expert_queries: np.ndarray
    squared_error: np.ndarray | None
    wall_seconds: np.ndarray
    engine: str
    data: str
    n_arms: int


@dataclass(frozen=True)
class Block:
    """A block as read from its file, with its attributes (`job` decoded)."""

    path: Path
    seeds: np.ndarray
    values: dict[str, np.ndarray]
    attributes: dict


def write_block(path: str | Path, block: BlockResult, attributes: dict) -> None:
    """Write a block; `attributes` adds job, fingerprint, versions and commit (dicts as JSON)."""
    with netcdf.writing(path) as file:
        file.createDimension("seed", len(block.seeds))
        file.createDimension("round", block.arm.shape[1])
        if block.squared_error is not None:
            file.createDimension("arm", block.n_arms)
        _put(file, "seed", "i4", ("seed",), block.seeds)
        _put(file, "arm", "i4", ("seed", "round"), block.arm, long_name="index of the chosen arm")
        _put(file, "reward", "f8", ("seed", "round"), block.reward)
        _put(file, "regret", "f8", ("seed", "round"), block.regret)
        _put(file, "expert_queries", "i4", ("seed", "round"), block.expert_queries)
        if block.squared_error is not None:
            _put(
                file,
                "squared_error",
                "f8",
                ("seed", "arm"),
                block.squared_error,
                long_name="mean over rounds of (posterior mean - f_t)^2",
            )
        set_attributes(
            file,
            attributes
            | {
                "engine": block.engine,
                "data": block.data,
                "n_arms": block.n_arms,
                "horizon": block.arm.shape[1],
            },
        )


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
    for name in ("seed", "arm", "reward", "regret", "expert_queries"):
        if name not in values:
            raise ValueError(f"{path}: no variable {name!r}; expected a file written by rule run")
    attributes["job"] = json.loads(attributes["job"])
    return Block(path, values.pop("seed"), values, attributes)


def set_attributes(file: netCDF4.Dataset, attributes: dict) -> None:
    """Set global attributes in a fixed order; mappings and lists become JSON text."""
    for name in sorted(attributes):
        value = attributes[name]
        if isinstance(value, dict | list):
            value = json.dumps(value, sort_keys=True, ensure_ascii=False)
        file.setncattr(name, value)


def put_strings(
    file: netCDF4.Dataset, name: str, dimensions: tuple[str, ...], values: Sequence[str] | np.ndarray
) -> None:
    """A variable of variable-length strings."""
    variable = file.createVariable(name, str, dimensions)
    variable[...] = np.asarray(values, dtype=object)


def put_numbers(
    file: netCDF4.Dataset, name: str, dimensions: tuple, values: np.ndarray, **attributes: str
) -> None:
    """A compressed variable: whole numbers as i4, others as f8."""
    kind = "i4" if np.issubdtype(np.asarray(values).dtype, np.integer) else "f8"
    _put(file, name, kind, dimensions, values, **attributes)


def _put(
    file: netCDF4.Dataset,
    name: str,
    kind: str,
    dimensions: tuple[str, ...],
    values: np.ndarray,
    **attributes: str,
) -> None:
    variable = file.createVariable(name, kind, dimensions, **netcdf.COMPRESSION)
    variable.setncatts(attributes)
    variable[...] = values
