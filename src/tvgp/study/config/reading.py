"""The configuration of the study, read from its files and merged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tvgp.study.config import strict_yaml


def read(folder: str | Path) -> dict:
    """The definitions of the study: default.yaml in `folder`, then those of papers/*.yaml.

    Mappings merge key by key, as Snakemake merges its configfiles.
    """
    config: dict = {}
    for path in files(folder):
        config = merged(config, strict_yaml.read(path))
    return config


def files(folder: str | Path) -> list[Path]:
    """The files that hold the definitions of the study, in the order in which they are read."""
    return [Path(folder) / "default.yaml", *sorted(Path(folder, "papers").glob("*.yaml"))]


def selections(folder: str | Path, config: Mapping) -> list[dict]:
    """What `config` and each overlay in `folder` select."""
    own = config["selection"]
    overlays = (strict_yaml.read(path) for path in sorted(Path(folder).glob("*.yaml")))
    return [own, *(merged(own, overlay.get("selection", {})) for overlay in overlays)]


def merged(base: Mapping, overlay: Mapping) -> dict:
    """`overlay` over `base`: mappings key by key, everything else replaced."""
    result = dict(base)
    for key, value in overlay.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if both else value
    return result


def overlaid(base: Mapping, overlay: Mapping, path: str | Path) -> dict:
    """`merged`; ValueError, naming the file, for an empty mapping over a value that is none.

    Snakemake would keep the value.
    """

    def check(old: Mapping, new: Mapping, where: str) -> None:
        for key, value in new.items():
            if not isinstance(value, Mapping) or key not in old:
                continue
            if isinstance(old[key], Mapping):
                check(old[key], value, f"{where}{key}.")
            elif not value:
                raise ValueError(f"{path}: {where}{key}: {{}} does not replace {old[key]!r}")

    check(base, overlay, "")
    return merged(base, overlay)
