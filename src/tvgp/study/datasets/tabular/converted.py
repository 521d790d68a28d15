"""Spreadsheets and Parquet files as CSV tables, which are what a study reads and keeps."""

from __future__ import annotations

import csv
import datetime
import math
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvgp.study.execution import packing

if TYPE_CHECKING:
    import pandas as pd

_TIMES = ("time", "date", "datetime", "timestamp")
_EMPTY = ["", "#N/A", "<NA>"]  # of a spreadsheet's cells; others, such as NA, may name a site
_READERS = {".xlsx": "openpyxl", ".parquet": "pyarrow"}  # the packages with which pandas reads them
SUFFIXES = tuple(_READERS)


def is_converted(path: Path) -> bool:
    """Whether a file is one of these, by its name."""
    return path.suffix.lower() in SUFFIXES


def table(path: Path, folder: Path) -> tuple[Path, str]:
    """The file as a CSV table in a folder, the same bytes from the same file, and what messages call it. Of a
    spreadsheet the only sheet that is not empty.

    ValueError, one line, where the package that reads it is missing, for a file that cannot be read and for
    several sheets.
    """
    suffix = path.suffix.lower()
    if not path.is_file():
        raise ValueError(f"{path}: no such file")
    called = str(path)
    try:
        if suffix == ".xlsx":
            rows, name = _sheet(path)
            called = f"{path}, sheet {name!r}"
        else:
            rows = _columns(path)
    except ImportError:
        raise ValueError(
            f"{path}: needs the package {_READERS[suffix]}; run: pip install {_READERS[suffix]}, or save it"
            " as CSV"
        ) from None
    except (OSError, KeyError, SyntaxError, TypeError, ValueError, *packing.ZIP_FAULTS) as error:
        raise ValueError(f"{path}: cannot be read ({' '.join(str(error).split())})") from None
    target = folder / f"{path.stem}.csv"
    with open(target, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    return target, called


def _sheet(path: Path) -> tuple[list[list[str]], str]:
    """The cells of the only sheet that is not empty, and its name."""
    import pandas as pd

    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            for member in packed.infolist():
                packing.refuse_bomb(member.file_size, member.compress_size, member.filename)
    cells: dict[str, Any] = {"header": None, "dtype": object, "na_values": _EMPTY, "keep_default_na": False}
    sheets = pd.read_excel(path, sheet_name=None, engine="openpyxl", **cells)
    full = {str(name): frame for name, frame in sheets.items() if frame.notna().to_numpy().any()}
    if len(full) != 1:
        named = ", ".join(map(repr, full)) or "none"
        raise ValueError(f"expected one sheet with values, it has {named}; save one of them as CSV")
    [(name, frame)] = full.items()
    # a frame around the table, as spreadsheets have it, is none of its columns
    return _rows(frame.dropna(axis="columns", how="all")), name


def _columns(path: Path) -> list[list[str]]:
    import pandas as pd

    frame = pd.read_parquet(path, engine="pyarrow")
    timed = any(str(name).lower() in _TIMES for name in frame.columns)
    rows_alone = frame.index.names == [None] and frame.index.dtype.kind in "iu"  # as filtering leaves them
    if not (isinstance(frame.index, pd.RangeIndex) or (rows_alone and timed)):
        names = [name or (f"level {k}" if k or timed else "time") for k, name in enumerate(frame.index.names)]
        frame = frame.reset_index(names=names)
    return [[str(name) for name in frame.columns], *_rows(frame)]


def _rows(frame: pd.DataFrame) -> list[list[str]]:
    return [[_text(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]


def _text(cell: Any) -> str:
    """A cell as it stands in a CSV table: times as in ISO 8601, whole numbers without a fraction."""
    import pandas as pd

    if cell is None or cell is pd.NaT or (isinstance(cell, float) and math.isnan(cell)) or cell is pd.NA:
        return ""
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)
