"""The published tables, from which every number of a published page is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tvgp.study.config import jobs

# Tables name rounds, runs and drift exponents; the size of jobs changes no number.
NAMED = ("horizon", "seeds", "alphas", "seeds_per_job")

Settings = Mapping[str, Any]


class Tables:
    """CSV tables of studies: `<folder>/<study>/<table>.csv`.

    A table is named `table`, of the main study, or `study/table`. ValueError, one line, for a table that is
    not there, and for one of a study that plays other problems than the main study: a page would compare the
    two. settings: the configuration of a study by its name.
    """

    def __init__(self, folder: str | Path, main: str, settings: Callable[[str], Settings]) -> None:
        self._folder, self._main, self._settings = Path(folder), main, settings
        self._read: dict[Path, pd.DataFrame] = {}

    def path(self, table: str) -> Path:
        """The file of a table."""
        study, _, name = table.rpartition("/")
        if study and study != self._main:
            self._require_same_problems(study)
        return self._folder / (study or self._main) / f"{name}.csv"

    def _require_same_problems(self, study: str) -> None:
        apart = list(differences(self._settings(self._main), self._settings(study)))
        if apart:
            raise ValueError(
                f"{study} cannot stand beside {self._main}, from which it differs in {'; '.join(apart)};"
                f" expected differences in {', '.join(NAMED)} alone"
            )

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


def differences(main: Settings, other: Settings) -> Iterator[str]:
    """Where the definitions of what `other` selects differ from those of `main`, but for `NAMED`."""
    for kind in ("experiments", "analyses"):
        for name in jobs.selected(other, kind):
            yield from _apart(f"{kind}.{name}", main[kind].get(name), other[kind][name])


def _apart(where: str, one: Any, other: Any) -> Iterator[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}.difference(NAMED), key=str):
            yield from _apart(f"{where}.{key}", one.get(key), other.get(key))
    elif one != other:
        yield f"{where} ({one}, {other})"
