"""The published tables, from which every number of a published page is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd


class Tables:
    """CSV tables of studies: `<folder>/<study>/<table>.csv`.

    A table is named `table`, of the main study, or `study/table`. ValueError, one line, for a table that is
    not there.
    """

    def __init__(self, folder: str | Path, main: str) -> None:
        self._folder, self._main = Path(folder), main
        self._read: dict[Path, pd.DataFrame] = {}

    def path(self, table: str) -> Path:
        """The file of a table."""
        study, _, name = table.rpartition("/")
        return self._folder / (study or self._main) / f"{name}.csv"

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        """The rows whose columns have these values. ValueError for an unknown column."""
        frame = self._frame(table)
        for column, wanted in where.items():
            if column not in frame:
                raise ValueError(
                    f"{self.path(table)}: no column {column}; columns: {', '.join(map(str, frame))}"
                )
            if pd.api.types.is_numeric_dtype(frame[column]):
                frame = frame[frame[column] == wanted]
            else:
                frame = frame[frame[column].fillna("").astype(str) == str(wanted)]
        return [{str(column): value for column, value in row.items()} for row in frame.to_dict("records")]

    def row(self, table: str, **where: Any) -> dict[str, Any]:
        """The only row whose columns have these values. ValueError where there are none or several."""
        found = self.rows(table, **where)
        if len(found) != 1:
            wanted = ", ".join(f"{column} = {value}" for column, value in where.items())
            raise ValueError(f"{self.path(table)}: {len(found)} rows with {wanted}; expected one")
        return found[0]

    def _frame(self, table: str) -> pd.DataFrame:
        path = self.path(table)
        if path not in self._read:
            try:
                self._read[path] = pd.read_csv(path)
            except (OSError, ValueError) as error:
                reason = " ".join(str(error).split())
                raise ValueError(f"{path}: not readable as a table ({reason})") from None
        return self._read[path]
