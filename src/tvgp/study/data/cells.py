"""Cells of raw tables as text: each distinct text is read once, faults are named with their line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tvgp.study.data import csv_tables

PIECE = 1 << 16  # cells held as text
Where = Callable[[int], str]  # file and line of a row


def table(path: Path, header: bool = True) -> pd.DataFrame:
    """The CSV table in a file as text, indexed by line; header: whether its first line names the columns,
    which otherwise have numbers."""
    with csv_tables.tables(path, errors="replace") as [(label, stream)]:
        records = list(csv_tables.records(stream, label))
    columns = records.pop(0)[1] if header and records else None
    lines, rows = [line for line, _ in records], [row for _, row in records]
    return pd.DataFrame(rows, index=lines, columns=columns, dtype=object)


def columns(header: Sequence[str], wanted: Collection[str], label: str, expected: str) -> dict[str, int]:
    """Index of each wanted column; header: the names in line 1. ValueError, with the columns that are
    expected, for a name that is missing or there twice."""
    for name in wanted:
        count = header.count(name)
        if count != 1:
            fault = f"column {name!r} appears {count} times" if count else f"no column {name!r}"
            raise ValueError(f"{label}, line 1: {fault}, expected {expected}")
    return {name: header.index(name) for name in wanted}


def pieces(records: Iterator[tuple[int, list[str]]], names: list[str]) -> Iterator[pd.DataFrame]:
    """The records of a table with these columns, in pieces: stripped text, indexed by line."""
    while True:
        lines: list[int] = []
        flat: list[str] = []  # lists of rows would keep the garbage collector busy
        for line, row in islice(records, max(1, PIECE // len(names))):
            lines.append(line)
            flat += row
        if not lines:
            return
        text = np.array([cell.strip() for cell in flat], dtype=object).reshape(len(lines), -1)
        yield pd.DataFrame(text, index=lines, columns=names)


def each(
    texts: Any, read: Callable[[str], Any], dtype: Any = float, where: Where | None = None
) -> np.ndarray:
    """read(text) of each text, in the shape of `texts`; equal texts are read once.

    where(i): file and line of the i-th text, which precede the message of a ValueError.
    """
    texts = np.asarray(texts, dtype=object)
    codes, distinct = pd.factorize(texts.ravel())
    found = []
    for code, text in enumerate(distinct):
        try:
            found.append(read(text))
        except ValueError as error:
            place = f"{where(int(np.argmax(codes == code)))}: " if where else ""
            raise ValueError(f"{place}{error}") from None
    return np.array(found, dtype=dtype)[codes].reshape(texts.shape)


def numbers(texts: Any) -> np.ndarray:
    """The number in each text, in the shape of `texts`; NaN for any other text."""
    return each(texts, csv_tables.number)


def quantities(
    table: pd.DataFrame, label: str, what: str, limits: Sequence[float], unit: str, blank: str = ""
) -> np.ndarray:
    """The number in each cell of a table that is indexed by line; blank: the text that an empty cell stands
    for. ValueError, naming the line, for a cell that is not a number within [lowest, highest]."""
    low, high = limits
    value = each(table, lambda cell: csv_tables.number(cell.strip() or blank))
    for row, column in np.argwhere(~((low <= value) & (value <= high)))[:1]:
        cell = str(table.iat[row, column]).strip()
        raise ValueError(f"{where(table, label, row)}: {what} {cell!r}, expected {low:g} to {high:g} {unit}")
    return value


def where(table: pd.DataFrame, label: str, row: int) -> str:
    """File and line of a row."""
    return f"{label}, line {table.index[row]}"


def refuse(faulty: Any, table: pd.DataFrame, label: str, fault: str) -> None:
    """ValueError for the first faulty row of a table that is indexed by line: file, line and `fault`, in
    which {column} is the row's text in that column."""
    for row in np.flatnonzero(faulty)[:1]:
        raise ValueError(f"{where(table, label, row)}: {fault.format_map(table.iloc[row])}")
