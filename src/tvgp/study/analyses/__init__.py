"""Analyses: computations of the study that are not a grid of bandit runs, one file each.

A module offers `run(seeds, **parameters) -> xarray.Dataset`. Variables that depend on the
seed have a dimension `seed` of the given length; random streams are keyed by seed and parameters,
never by the block of seeds. A module that plays data has a parameter `dataset`, its name in the
configuration, and takes `data`, its training and test part. A module that loads other modules by name
returns their dotted names from `uses(**parameters) -> tuple`, so that editing one of them reruns the
analysis.

The parts of an analysis (one job per part and block of seeds) are gathered in one file with
dimensions `part`, `seed` and those of the module.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from tvgp import plugins
from tvgp.study.data import field
from tvgp.study.execution import files, netcdf, pieces, provenance
from tvgp.study.execution.provenance import Recipe

_registry = plugins.Registry(__name__, "analysis", declares="run", given=frozenset({"seeds", "data"}))
names, declaration = _registry.names, _registry.declaration
parameters, required = _registry.parameters, _registry.required


@dataclass(frozen=True)
class AnalysisJob:
    """One part of an analysis, for any seeds."""

    analysis: str
    module: str
    part: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class GatherJob:
    """The gathered file of an analysis. parts: the parameters of each part; seeds: their number."""

    analysis: str
    title: str
    seeds: int
    timed: bool
    parts: Mapping[str, Mapping[str, Any]]


def uses(name: str, values: Mapping) -> tuple[str, ...]:
    """Dotted names of the module and of the modules it loads by name, for its fingerprint."""
    listed = getattr(_registry.load(name), "uses", None)
    return (f"{__name__}.{name}", *(listed(**values) if listed else ()))


def compute(
    recipes: Sequence[Recipe], seeds: Sequence[int], folder: str | Path, data: Mapping[str, Sequence[str]]
) -> Iterator[Path]:
    """Compute those parts of an analysis that are missing or damaged, for these seeds: files of all.

    folder: of the parts of the analysis; data: files of the training and the test part of each dataset.
    """
    for made in recipes:
        job = AnalysisJob(**made["job"])
        played = data[job.parameters["dataset"]] if "dataset" in job.parameters else ()
        name = pieces.named(f"{job.part}/seeds-{seeds[0]}-{seeds[-1]}", made, played)
        path = Path(folder, f"{name}.nc")
        if not pieces.finished(path):
            given = {"data": tuple(map(field.read_field, played))} if played else {}
            write(path, run(job.module, seeds, **given, **job.parameters), provenance.origin(made))
        yield path


def run(name: str, seeds: Sequence[int], data: tuple[field.Field, ...] | None = None, **values) -> xr.Dataset:
    """Run analysis `name` for the given seeds; data: training and test part of what it plays, if that is a
    dataset. ValueError, one line, for an unknown parameter."""
    _registry.check(name, values)
    given = {} if data is None else {"data": data}
    result = _registry.load(name).run(list(seeds), **given, **values)
    if data is not None:
        result = result.assign_attrs(data=data[1].attrs["source"])
    if "seed" in result.dims:
        result = result.assign_coords(seed=np.asarray(seeds, dtype=np.int32))
    return result


def write(path: str | Path, result: xr.Dataset, attributes: Mapping) -> None:
    """Write a result as compressed NetCDF-4; attributes that are mappings become JSON text.

    Equal results give equal bytes.
    """
    texts = {
        key: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for key, value in sorted(attributes.items())
    }
    numbers = [name for name, v in result.variables.items() if v.dtype.kind in "fiub" and v.ndim]
    encoding = {name: {**netcdf.COMPRESSION, "_FillValue": None} for name in numbers}
    with files.replacing(path) as temporary:
        result.assign_attrs(result.attrs | texts).to_netcdf(
            temporary, engine="netcdf4", format="NETCDF4", encoding=encoding
        )
        netcdf.seal(temporary)


def gather(parts: Mapping[str, Sequence[str | Path]], job: GatherJob) -> xr.Dataset:
    """Join the files of an analysis: blocks over `seed`, then parts over `part`.

    parts: the files of each part in order of their seeds. Parameters with a single value become
    variables over `part`. ValueError for an unreadable file, naming it, and for missing seeds.
    """
    joined, origins, kinds = [], [], set()
    for part, paths in parts.items():
        blocks = [_read(path) for path in paths]
        whole = blocks[0] if len(blocks) == 1 else xr.concat(blocks, "seed", **_STRICT)
        seeds = whole.seed.values.tolist() if "seed" in whole.dims else None
        if seeds not in (None, list(range(1, job.seeds + 1))):
            raise ValueError(
                f"analysis {job.analysis}, part {part}: seeds {seeds}, expected 1 to {job.seeds}"
            )
        origins += [block.attrs for block in blocks]
        kinds |= {block.attrs.get("data", "synthetic") for block in blocks}
        # the encoding of the first part would cut longer names of the others at its own longest one
        joined.append(whole.drop_attrs().drop_encoding())
    data = xr.concat(joined, "part", data_vars="all", coords="minimal", join="outer", compat="override")
    data = data.assign_coords(part=("part", list(parts)))
    for key, values in _single_values(job.parts).items():
        name = f"parameter_{key}" if key in data.variables else key
        data[name] = ("part", values)
    return data.assign_attrs(
        analysis=job.analysis,
        title=job.title,
        data="standin" if "standin" in kinds else "real" if "real" in kinds else "synthetic",
        timed=str(job.timed).lower(),
        parameters=json.dumps(job.parts, sort_keys=True),
        provenance=json.dumps(provenance.merged(origins), sort_keys=True),
    )


_STRICT: dict[str, Any] = {"data_vars": "minimal", "coords": "minimal", "compat": "equals", "join": "exact"}


def _read(path: str | Path) -> xr.Dataset:
    netcdf.check(path)
    try:
        with xr.open_dataset(path) as opened:
            return opened.load()
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:120]
        raise ValueError(f"{path}: cannot be read as the result of an analysis ({reason})") from None


def _single_values(parts: Mapping[str, Mapping]) -> dict[str, np.ndarray]:
    """Numbers and strings among the parts' parameters, NaN or "" if a part has none."""
    keys = dict.fromkeys(key for values in parts.values() for key in values)
    result: dict[str, np.ndarray] = {}
    for key in keys:
        column = [values.get(key) for values in parts.values()]
        if all(value is None or isinstance(value, int | float) for value in column):
            result[key] = np.array([np.nan if v is None else float(v) for v in column])
        elif all(value is None or isinstance(value, str) for value in column):
            result[key] = np.array([v or "" for v in column], dtype=object)
    return result
