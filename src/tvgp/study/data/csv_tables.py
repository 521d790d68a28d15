"""CSV tables as raw files have them: packed or not, with limits that no real table reaches."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TextIO

from tvgp.study.execution import packing

MAX_TABLE_BYTES = 1 << 29  # AirData years are about 130 MB unpacked
MAX_MEMBERS = 50
MAX_LINE, MAX_LINES = 1 << 16, 3_000_000  # an AirData year has 400 000 lines
# control characters but tab and line ends, and bytes that are not UTF-8, as surrogateescape leaves them
_FOREIGN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\udc80-\udcff]")


@contextmanager
def tables(
    path: str | Path, label: str | None = None, errors: str = "surrogateescape"
) -> Iterator[list[tuple[str, TextIO]]]:
    """The CSV tables in a .csv, .csv.gz or .zip file: pairs of a label for messages and a text stream.

    errors: what becomes of bytes that are not UTF-8, as of `open`; `records` refuses them unless it is
    "replace".

    Nothing is unpacked to disk. ValueError for an invalid or truncated gzip or zip file, too many or too
    large members, members outside the archive's folder, and a zip file without a CSV.
    """
    label = label or str(path)
    suffix = Path(label).suffix.lower()
    if suffix == ".gz":
        yield from _gzipped(Path(path), label, errors)
        return
    if suffix != ".zip":
        with open(path, encoding="utf-8-sig", errors=errors, newline="") as stream:
            yield [(label, stream)]
        return
    try:
        archive = zipfile.ZipFile(path)
    except (*packing.ZIP_FAULTS, ValueError, OSError):
        raise ValueError(f"{label}: not a zip file, or truncated") from None
    with archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        _check_members(label, members)
        chosen = [m for m in members if m.filename.lower().endswith(".csv")]
        if not chosen:
            raise ValueError(f"{label}: no CSV file inside")
        try:
            yield [
                (
                    f"{label}:{member.filename}",
                    io.TextIOWrapper(archive.open(member), encoding="utf-8-sig", errors=errors, newline=""),
                )
                for member in chosen
            ]
        except (*packing.ZIP_FAULTS, OSError) as error:
            raise ValueError(f"{label}: damaged zip file ({error})") from None


def _gzipped(path: Path, label: str, errors: str) -> Iterator[list[tuple[str, TextIO]]]:
    """The table in a gzip file, which is read to its end before."""
    size = 0
    try:
        with gzip.open(path) as content:
            while piece := content.read(packing.RATIO_FROM):
                size += len(piece)
                packing.refuse_bomb(size, path.stat().st_size, label)
    except packing.GZIP_FAULTS as error:
        raise ValueError(f"{label}: not a gzip file, damaged or truncated ({error})") from None
    with gzip.open(path, "rt", encoding="utf-8-sig", errors=errors, newline="") as stream:
        yield [(label, stream)]


def records(
    stream: TextIO, label: str, delimiter: str = ",", above: int = 0, notes: list[int] | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a CSV table with the number of the line each starts on; those without text are skipped, as
    spreadsheets leave commas below a table. delimiter: a space for any number of spaces and tabs, and a #
    before the header; above: lines above the header, which are left out; notes: takes the lines of notes at
    the end of the file, of one cell that begins with no digit, below a row without text.

    ValueError, naming file and line, for a row that is longer or shorter than the header, such as a note
    where `notes` is None, for values below a note, broken quoting, bytes that are not UTF-8, an over-long
    line, and a table larger than MAX_TABLE_BYTES.
    """
    lines = _lines(stream, label)
    for _ in islice(lines, above):
        pass
    cause = "a comma outside quotes"
    if delimiter == " ":
        lines, cause = _spaced(lines), "a blank cell, or spaces within one"
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    width, start = 0, above + 1
    is_below = False
    try:
        for row in reader:
            if not any(map(str.strip, row)):
                is_below = True
            elif notes is not None and is_below and len(row) == 1 < width and not row[0].strip()[0].isdigit():
                notes.append(start)
            elif notes:
                raise ValueError(f"{label}, line {start}: values below a note, which is on line {notes[-1]}")
            else:
                width = width or len(row)
                if len(row) != width:
                    raise ValueError(
                        f"{label}, line {start}: {len(row)} fields, the header has {width}"
                        f" (truncated row, or {cause})"
                    )
                yield start, row
            start = above + reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{label}, line {start}: not a CSV row ({error})") from None


def number(text: str | bytes) -> float:
    """The number in a cell, NaN for any other text (float() also accepts 4_0)."""
    try:
        invalid = not text.isascii() or (b"_" in text if isinstance(text, bytes) else "_" in text)
        return math.nan if invalid else float(text)
    except ValueError:
        return math.nan


def _check_members(label: str, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise ValueError(f"{label}: {len(members)} members, expected at most {MAX_MEMBERS}")
    size = sum(member.file_size for member in members)
    if size > MAX_TABLE_BYTES:
        raise ValueError(
            f"{label}: unpacks to {size / 1e6:.0f} MB; the limit is {MAX_TABLE_BYTES / 1e6:.0f} MB"
        )
    for member in members:
        packing.refuse_bomb(member.file_size, member.compress_size, f"{label}:{member.filename}")
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
            raise ValueError(f"{label}: member {member.filename!r} points outside the archive")
        if member.flag_bits & 1:
            raise ValueError(f"{label}: member {member.filename!r} is encrypted")


def _spaced(lines: Iterator[str]) -> Iterator[str]:
    """Lines with one space where any stand, the first without the # of a comment."""
    for line in islice(lines, 1):
        yield " ".join(line.lstrip("#").split()) + "\n"
    for line in lines:
        yield " ".join(line.split()) + "\n"


def _lines(stream: TextIO, label: str) -> Iterator[str]:
    """Lines of a text stream, with limits that no real table reaches."""
    number = size = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        size += len(line)
        if len(line) >= MAX_LINE:
            raise ValueError(f"{label}, line {number}: longer than {MAX_LINE} characters")
        if foreign := _FOREIGN.search(line):
            byte = ord(foreign[0]) - 0xDC00
            what = f"byte {byte:#x} is not UTF-8" if byte >= 0 else f"control character {foreign[0]!r}"
            raise ValueError(
                f"{label}, line {number}: {what}; save the table as UTF-8 (in a spreadsheet: CSV UTF-8)"
            )
        if size > MAX_TABLE_BYTES:
            raise ValueError(f"{label}: more than {MAX_TABLE_BYTES / 1e6:.0f} MB of text")
        if number > MAX_LINES:
            raise ValueError(f"{label}: more than {MAX_LINES} lines")
        yield line
