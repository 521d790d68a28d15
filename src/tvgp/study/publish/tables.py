"""The published tables, from which every number of a published page is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tvgp.study.config import jobs
from tvgp.study.report import sources

PART = "part of the publication"  # a column beside those of the files
# Tables name rounds, runs, drift exponents and parts; the size of jobs changes no number.
NAMED = ("horizon", "seeds", "alphas", "parts", "seeds_per_job")


class Tables:
    """The tables of the published parts, `<folder>/<part>/tables/<table>.csv`, as if they were one study's.

    A row about an experiment that several parts have played is that of the first of them. `part/table` names
    the table of one part. ValueError, one line, for a table that no part has.
    """

    def __init__(self, folder: str | Path, parts: Sequence[str]) -> None:
        self._folder, self._parts = Path(folder), parts
        self._frames: dict[str, pd.DataFrame] = {}
        self._records: dict[str, list[dict[str, Any]]] = {}
        self._places: dict[tuple[str, str], dict[Any, set[int]]] = {}

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        """The rows whose columns have these values. ValueError for an unknown column."""
        found = self._found(table, where)
        return [{column: value for column, value in row.items() if column != PART} for row in found]

    def row(self, table: str, **where: Any) -> dict[str, Any]:
        """The only row whose columns have these values. ValueError where there are none or several."""
        found = self.rows(table, **where)
        if len(found) != 1:
            wanted = ", ".join(f"{column} = {value}" for column, value in where.items())
            raise ValueError(f"{table}: {len(found)} rows with {wanted}; expected one")
        return found[0]

    def link(self, table: str, **where: Any) -> str:
        """Where, in the folder of results, the table is that these rows are in. ValueError without one."""
        found = self._found(table, where)
        if not found:
            raise ValueError(f"{table}: no row with {where}")
        return f"{found[0][PART]}/tables/{table.rpartition('/')[2]}.csv"

    def names(self, part: str) -> list[str]:
        """The tables of a part."""
        return sorted(path.stem for path in (self._folder / part / "tables").glob("*.csv"))

    def _found(self, table: str, where: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The rows whose columns have these values, each with its part in the column `PART`."""
        frame = self.frame(table)
        if table not in self._records:
            self._records[table] = [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]
        records, found = self._records[table], []
        for column, wanted in where.items():
            if column not in frame:
                raise ValueError(f"{table}: no column {column}; columns: {', '.join(map(str, frame))}")
            numeric = pd.api.types.is_numeric_dtype(frame[column])
            if (table, column) not in self._places:  # a page asks for hundreds of rows, one by one
                places = self._places[table, column] = defaultdict(set)
                for place, row in enumerate(records):
                    places[row[column] if numeric else _text(row[column])].add(place)
            found.append(self._places[table, column].get(wanted if numeric else str(wanted), set()))
        return [records[place] for place in sorted(set.intersection(*found))] if found else records

    def frame(self, table: str) -> pd.DataFrame:
        """A whole table, each row with its part in the column `PART`."""
        if table not in self._frames:
            part, _, name = table.rpartition("/")
            parts = [part] if part else self._parts
            paths = {each: self._folder / each / "tables" / f"{name}.csv" for each in parts}
            found = {each: sources.table(path) for each, path in paths.items() if path.is_file()}
            if not found:
                raise ValueError(f"{table}: no published table of this name in {self._folder}")
            self._frames[table] = pd.concat(list(_first_of_each(found)), ignore_index=True)
        return self._frames[table]


def _text(value: object) -> str:
    """Of a cell, "" for an empty one."""
    return "" if value != value else str(value)


def _first_of_each(tables: Mapping[str, pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Each part's rows, without those about an experiment that an earlier part has; of the claims that no
    part has played, those of the first."""
    known: set[str] = set()
    unplayed = pd.DataFrame()
    for part, frame in tables.items():
        frame = frame.assign(**{PART: part})
        if "experiment" in frame:
            played = frame.data.notna() if "data" in frame else frame.experiment.notna()
            unplayed = frame[~played] if unplayed.empty else unplayed
            frame = frame[played & ~frame.experiment.isin(known)]
            known |= {*frame.experiment, *(name for each in frame.experiment for name in each.split(", "))}
        yield frame
    if len(tables) > 1 and len(unplayed):
        yield unplayed[~unplayed.experiment.isin(known)]


def differences(main: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
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
