"""The checkout that the command works in, and the studies that its configuration defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvgp.plugins import nearest
from tvgp.study.config import loading


@dataclass(frozen=True)
class Study:
    """A study: the checkout's folder, the overlay files (none for the papers' scale), the configuration."""

    root: Path
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


def root() -> Path:
    """The checkout: the working directory, or the one that this package is installed from.

    ValueError if neither is one.
    """
    for folder in (Path.cwd(), Path(__file__).parents[4]):
        if (folder / "Snakefile").is_file() and (folder / "config" / "default.yaml").is_file():
            return folder
    raise ValueError(f"{Path.cwd()}: no Snakefile and config/ of tvgp here; change to a checkout of tvgp")


def study(*names: str) -> Study:
    """The study of overlays, each over those before it: files, or names in config/; "paper" adds none.

    ValueError for a name without a file, listing the known names.
    """
    folder = root()
    definitions = loading.read(folder / "config")
    paper = definitions["scale"]
    known = {path.stem: path for path in (folder / "config").glob("*.yaml") if path.stem != "default"}
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
    _check_base(names, overlays, folder, definitions, config)
    return Study(folder, tuple(overlays), config)


def _check_base(
    names: Sequence[str],
    overlays: Sequence[Path],
    folder: Path,
    definitions: Mapping[str, Any],
    config: Mapping[str, Any],
) -> None:
    """ValueError for a single file of the user that keeps the papers' results folder or selection."""
    alone = len(names) == 1 and overlays and overlays[0].parent != (folder / "config").resolve()
    same = [config.get(key) == definitions.get(key) for key in ("results", "selection")]
    if alone and (same[0] or same[1]):
        raise ValueError(
            f"{names[0]}: alone it would play the papers' whole study, for hours, into {config['results']};"
            f" name a study to lay it over: quick {names[0]}, or paper {names[0]} if you mean that"
        )
