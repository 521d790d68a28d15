"""The checkout that the command works in, and the studies that its configuration defines."""

from __future__ import annotations

from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvgp.study import provenance
from tvgp.study.config import reading


@dataclass(frozen=True)
class Study:
    """A study: the checkout's folder, the overlay file (None for the papers' scale), the configuration."""

    root: Path
    overlay: Path | None
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
        """A line for each file that its own digest or a record contradicts."""
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


def study(name: str) -> Study:
    """The study of an overlay: a file, or a name in config/; "paper" has none.

    ValueError for a name without a file, listing the known names.
    """
    folder = root()
    definitions = reading.read(folder / "config")
    if name == definitions["scale"]:
        return Study(folder, None, definitions)
    known = {path.stem: path for path in (folder / "config").glob("*.yaml") if path.stem != "default"}
    path = Path(name) if Path(name).is_file() else known.get(name)
    if path is None:
        listed = ", ".join(sorted([definitions["scale"], *known]))
        raise ValueError(f"no study {name!r}; known: {listed}; or give the path of an overlay file")
    config = reading.overlaid(definitions, [path], {})
    return Study(folder, path.resolve(), config)
