"""The folder that the command works in, and the studies that its configuration defines.

Results, data and overlays of the user lie in the working directory. Workflow and configuration are those of
a checkout, or those that the wheel carries (`setup.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvgp.plugins import nearest

_PACKAGED = Path(__file__).parents[1] / "packaged"


@dataclass(frozen=True)
class Study:
    """A study: the folder of results and data, that of the workflow, the overlay files (none for the papers'
    scale), the configuration."""

    root: Path
    source: Path
    overlays: tuple[Path, ...]
    config: dict[str, Any]

    @property
    def results(self) -> Path:
        """Folder of the results."""
        return self.root / self.config["results"]

    @property
    def report(self) -> Path:
        """The HTML page."""
        return self.results / "report.html"

    def faults(self) -> list[str]:
        """A line for each file that contradicts its own digest or a record."""
        from tvgp.study.execution import provenance  # slow to import

        results, resources = self.config["results"], self.config["resources"]
        with chdir(self.root):  # where the names of raw files in manifests start
            found = provenance.faults(provenance.sealed(results, resources))
        return [fault.partition(";")[0] for fault in found.values()]


def source(folder: Path) -> Path:
    """The folder of Snakefile, workflow and configuration: the given one if it is a checkout, else the
    checkout that this package is installed from, else what the package carries.

    ValueError if there is none.
    """
    for each in (folder, Path(__file__).parents[4], _PACKAGED):
        if (each / "Snakefile").is_file() and (each / "config" / "default.yaml").is_file():
            return each
    raise ValueError(f"{_PACKAGED}: no such folder; install tvgp again")


def overlays_of(*folders: Path) -> dict[str, Path]:
    """The overlays in config/ of these folders by name, the later before the former."""
    from tvgp.study.config import loading  # needs the extra `study`

    return {
        path.relative_to(folder / "config").with_suffix("").as_posix(): path
        for folder in folders
        for path in loading.overlays(folder / "config")
    }


def study(*names: str) -> Study:
    """The study of overlays, each over those before it: files, or names in config/ of the workflow or of the
    working directory; "paper" adds none.

    ValueError for a name without a file, listing the known names, in a folder that Snakemake cannot use, and
    for results or resources that are not the name of a folder.
    """
    from tvgp.study.config import loading  # needs the extra `study`

    root = Path.cwd()
    if set("{}") & set(str(root)):
        raise ValueError(f"{root}: Snakemake takes braces for wildcards; move this folder to a path without")
    origin = source(root)
    definitions = loading.read(origin / "config")
    paper = definitions["scale"]
    known = overlays_of(origin, root)
    overlays = []
    for name in names:
        path = Path(name) if Path(name).is_file() else known.get(name)
        if path is None and name != paper:
            listed = [paper, *sorted(known)]
            meant = nearest(name.removesuffix(".yaml"), listed)
            raise ValueError(
                f"no study {name!r}{meant}; known: {', '.join(listed)}; or give the path of an overlay file"
            )
        overlays += [path.resolve()] if path else []
    config = loading.overlaid(definitions, overlays, {})
    for key in ("results", "resources"):
        if not isinstance(config[key], str):
            raise ValueError(f"config: {key}: {config[key]!r} is not a folder; expected such as {key}/own")
    _check_base(names, overlays, origin, definitions, config)
    return Study(root, origin, tuple(overlays), config)


def _check_base(
    names: Sequence[str],
    overlays: Sequence[Path],
    origin: Path,
    definitions: Mapping[str, Any],
    config: Mapping[str, Any],
) -> None:
    """ValueError for a single file of the user that keeps the papers' results folder or selection."""
    alone = len(names) == 1 and overlays and overlays[0].parent != (origin / "config").resolve()
    same = [config.get(key) == definitions.get(key) for key in ("results", "selection")]
    if alone and (same[0] or same[1]):
        raise ValueError(
            f"{names[0]}: alone it would play the papers' whole study, for hours, into {config['results']};"
            f" name a study to lay it over: quick {names[0]}, or paper {names[0]} if you mean that"
        )
