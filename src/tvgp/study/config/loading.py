"""The configuration of the study, read from its files and merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tvgp.study.config import combinations, strict_yaml, your_data
from tvgp.study.execution import answer_cache


def read(folder: str | Path) -> dict:
    """The definitions of the study: default.yaml in `folder`, then papers/*.yaml and questions/*.yaml."""
    config: dict = {}
    parts = (path for name in ("papers", "questions") for path in sorted(Path(folder, name).glob("*.yaml")))
    for path in (Path(folder) / "default.yaml", *parts):
        config = merged(config, combinations.written_out(strict_yaml.read(path)))
    return config


def overlaid(definitions: Mapping, overlays: Iterable[str | Path], values: Mapping) -> dict:
    """The configuration: overlay files over the definitions, and single values over both; `your_data` is
    written out, and so are `combinations`. ValueError for a fault in a file."""
    config = dict(definitions)
    for overlay in (*map(strict_yaml.read, overlays), dict(values)):
        if your_data.KEY in overlay:
            config = merged(config, your_data.definitions(config, overlay.pop(your_data.KEY)))
        config = merged(config, combinations.written_out(overlay))
    return config


def overlays(folder: str | Path) -> list[Path]:
    """The overlays in `folder`, and in its folder `published` those of the parts of the publication."""
    own = (path for path in sorted(Path(folder).glob("*.yaml")) if path.name != "default.yaml")
    return [*own, *sorted(Path(folder, "published").glob("*.yaml"))]


def selections(folder: str | Path, definitions: Mapping) -> list[dict]:
    """The selections of the study and of each overlay in `folder`."""
    chosen = (strict_yaml.read(path).get("selection", {}) for path in overlays(folder))
    return [definitions["selection"], *(merged(definitions["selection"], overlay) for overlay in chosen)]


def checked(config: Mapping, definitions: Mapping, selections: Sequence[Mapping], schema: str | Path) -> str:
    """The warning of `validation.unused`, "" without one. ValueError from `validation.check`, and for a
    policy that the study's own definitions do not have and no selected experiment plays.

    Only a configuration that the same code has not accepted before is checked, which loads every plug-in.
    """

    def answer() -> str:
        from tvgp.study.config import validation

        validation.check(config, schema)
        validation.refuse_unplayed(config, definitions["policies"])
        return validation.unused(config, selections) or ""

    own = sorted(definitions["policies"])
    return answer_cache.remembered(
        f"{config} {own} {selections} {Path(schema).read_text(encoding='utf-8')}", answer
    )


def merged(base: Mapping, overlay: Mapping) -> dict:
    """`overlay` over `base`: mappings key by key, everything else replaced."""
    result = dict(base)
    for key, value in overlay.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if both else value
    return result
