"""Addresses of files beside the report, and of the code that made them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


class Links:
    """Addresses relative to the page's folder, "" for files that have none.

    template: that of the page, which tells the project's folder; results: NetCDF files of experiments and
    analyses; tables: CSV files and their other formats.
    """

    def __init__(
        self,
        folder: Path,
        template: str | Path,
        results: Sequence[str | Path],
        tables: Sequence[str | Path],
    ) -> None:
        self._folder = folder.resolve()
        self._project = Path(template).resolve().parents[2]
        self._results = {Path(p).stem: p for p in results}
        self._tables = {Path(p).name: p for p in tables}

    def to(self, path: str | Path) -> str:
        """Any file."""
        return Path(os.path.relpath(Path(path).resolve(), self._folder)).as_posix()

    def results(self, name: str) -> str:
        """The NetCDF file of an experiment or analysis."""
        return self.to(self._results[name]) if name in self._results else ""

    def table(self, name: str) -> str:
        """A table by its file name."""
        return self.to(self._tables[name]) if name in self._tables else ""

    def source(self, module: str) -> str:
        """A module's file, where page and code are parts of one project folder."""
        path = self._project / "src" / f"{module.replace('.', '/')}.py"
        return self.to(path) if path.is_file() and self._folder.is_relative_to(self._project) else ""
