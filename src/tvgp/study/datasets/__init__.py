"""Datasets, one file each: from raw files to the canonical field.

A module defines PATTERNS (the raw files it reads), a frozen dataclass `Parameters`,
`load(files, parameters)` -> (Field, quality rows), and, if it has a stand-in,
`write_standin(folder, parameters)` -> files in the real format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from tvgp import plugins
from tvgp.study.data.field import Field
from tvgp.study.datasets import extracts

# Keys of a dataset's configuration that are not parameters of its loader, per step that uses them.
DOWNLOAD = ("source", "raw", "extract", "url", "sha256", "max_download_mb")
SPLIT = ("train_fraction", "train", "test", "anomaly")
COMMON = ("loader", "title", "coordinates", "extract_as", *DOWNLOAD, *SPLIT)

_registry = plugins.Registry(__name__, "dataset")
names, declaration, parameters = _registry.names, _registry.declaration, _registry.parameters


@dataclass(frozen=True)
class Loader:
    """A dataset module together with its parameters."""

    name: str
    module: ModuleType
    values: Any

    @property
    def patterns(self) -> tuple[str, ...]:
        """Name patterns of the raw files."""
        return tuple(self.module.PATTERNS)

    def load(self, files: Sequence[str | Path]) -> tuple[Field, list[tuple[str, int, str]]]:
        """Field and quality table (item, count, action) from raw files."""
        return self.module.load([Path(file) for file in files], self.values)

    @property
    def write_standin(self) -> Callable[[str | Path], list[Path]] | None:
        """write_standin(folder) -> files; None if the dataset has no stand-in."""
        write = getattr(self.module, "write_standin", None)
        return write and (lambda folder: write(Path(folder), self.values))


def make(name: str, **values: Any) -> Loader:
    """The loader `name` with these parameters. ValueError for an unknown name or parameter."""
    return Loader(name, _registry.load(name), _registry.fill(name, values))


def configured(settings: Mapping[str, Any]) -> Loader:
    """The loader in a dataset's mapping in the configuration."""
    own = {key: value for key, value in settings.items() if key not in COMMON}
    return make(settings["loader"], **own)


def patterns(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Name patterns of the raw files of a dataset's mapping: of its loader, then of `extract_as`."""
    other = settings.get("extract_as")
    return configured(settings).patterns + (make(other["loader"]).patterns if other else ())


def write_extract(settings: Mapping[str, Any]) -> Callable[[str | Path], list[Path]] | None:
    """write_extract(folder) -> files: the package's real data for a dataset; None if it has none."""
    name = settings.get("extract")
    return partial(extracts.copy, name) if name else None


def grid_settings(settings: Mapping[str, Any]) -> dict:
    """The keys of a dataset's mapping that its field depends on, apart from the raw files."""
    return {key: value for key, value in settings.items() if key not in DOWNLOAD + SPLIT}


def split_settings(settings: Mapping[str, Any]) -> dict:
    """The keys of a dataset's mapping that define its split."""
    return {key: value for key, value in settings.items() if key in SPLIT}


def grid(
    dataset: str, settings: Mapping[str, Any], manifest: Mapping[str, Any]
) -> tuple[Field, list[tuple[str, int, str]]]:
    """Field of the raw files in a manifest, with its origin in the attributes, and quality table.

    Where none of the files is the loader's own, they are read as `extract_as` says; else the others are left
    out. A stand-in is recognised by the mark in its files as well as by the manifest, so that no stand-in
    file among real files is reported as real.
    """
    used = manifest["files"]
    if "extract_as" in settings:
        names = configured(settings).patterns
        own = [item for item in used if any(Path(item["path"]).match(name) for name in names)]
        if own:
            used = own
        else:
            settings = {key: settings[key] for key in settings if key in COMMON} | settings["extract_as"]
    field, quality = configured(settings).load([item["path"] for item in used])
    if manifest["source"] == "standin":
        field.attrs["source"] = "standin"
    listed = [
        {"name": Path(item["path"]).name, **{key: item[key] for key in ("sha256", "bytes")}} for item in used
    ]
    try:
        field = field.placed(settings["coordinates"])
    except ValueError as error:
        raise ValueError(f"{dataset}: {error}") from None
    field.attrs["dataset"] = dataset
    field.attrs["source_files"] = json.dumps(listed)
    if "title" in settings:
        field.attrs["title"] = settings["title"]
    return field, quality
