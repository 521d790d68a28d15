"""What the columns of a CSV table are, before its layout is known."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

from tvgp.study.data import csv_tables
from tvgp.study.datasets.tabular import guess_signs, guess_times, names, transposed
from tvgp.study.datasets.tabular import header as header_of
from tvgp.study.datasets.tabular.notation import Notation
from tvgp.study.datasets.tabular.readings import MISSING

ROWS = 200_000  # of a file that a guess reads
STEPS = 2000  # lines whose times tell whether they are regular


@dataclass(frozen=True)
class Table:
    """given: keys that the user has set; units: lines of units below the header; rows: the first `ROWS`
    after them; times: of each row; columns: indices of those that may hold sites or values; aside: of those
    that hold neither, such as a number of each line; cells: by column, those that have a value; numeric:
    columns of numbers; keys: those found so far."""

    path: Path
    given: Mapping[str, Any]
    header: list[str]
    units: list[list[str]]
    rows: list[list[str]]
    times: list[str]
    delimiter: str
    notation: Notation
    columns: list[int]
    aside: list[int]
    cells: dict[int, list[str]]
    numeric: list[int]
    keys: dict[str, Any]

    @cached_property
    def lines(self) -> Counter[str]:
        """On how many lines each time is."""
        return Counter(self.times)

    @cached_property
    def has_repeats(self) -> bool:
        """Whether a time is on several lines, other than one that clocks of the zone given show twice."""
        repeated = [time for time, lines in self.lines.items() if lines > 1]
        zone = self.given.get("time_zone")
        return not guess_times.are_shown_twice(repeated, self.keys["time_format"], zone)

    @cached_property
    def is_in_steps(self) -> bool:
        """Whether the lines are regular steps of time, as far as the first ones tell."""
        return guess_times.are_regular(self.times[:STEPS], self.keys["time_format"])

    def names(self, columns: Sequence[int]) -> list[str]:
        """The names of columns."""
        return [self.header[i] for i in columns]

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        return self._cells(self.rows, name)

    def units_of(self, names: Sequence[str]) -> set[str]:
        """The units in the lines of units below some columns."""
        return {cell for name in names for cell in self._cells(self.units, name) if cell}

    def _cells(self, rows: Sequence[Sequence[str]], name: str) -> list[str]:
        at = self.header.index(name)
        return [row[at].strip() for row in rows]

    def are_whole(self, column: int) -> bool:
        """Whether all numbers in a column are whole, as those that name a site."""
        numbers = map(self.notation.number, self.cells[column])
        return all(number.is_integer() for number in numbers if math.isfinite(number))

    def refuse_doubtful_signs(self, columns: Sequence[int]) -> None:
        """ValueError for numbers that may be in thousands as well as fractions."""
        if self.notation.thousands is None:
            cells = {self.header[i]: self.cells[i] for i in columns}
            guess_signs.refuse_doubtful(cells, self.given, self.delimiter, self.path)


def read(path: Path, given: Mapping[str, Any]) -> Table:
    """The table in a file. ValueError where its times or signs are in doubt."""
    above = given.get("lines_above", header_of.lines_above(path))
    delimiter = given.get("delimiter") or header_of.delimiter(path, above)
    header, rows = first_rows(path, delimiter, above)
    if len(header) == 1:
        raise ValueError(
            f"{path}: one column, {header[0]!r:.40}; if this is a title give --lines-above, else write a"
            " comma, semicolon, tab or bar between columns, or give --delimiter, ' ' for any number of spaces"
        )
    below = given.get("lines_below", _lines_of_units(rows) if rows else 0)
    of_units, rows = rows[:below], rows[below:]
    if len(rows) < 2:
        raise ValueError(f"{path}: {len(rows)} lines of values; expected a header and one line per time")
    where, layout = f"{path}, line {above + 1}", given.get("layout")
    lines: Sequence[int] = range(len(rows))  # below the header and its units, of each row
    time = None if layout == transposed.LAYOUT else given.get("time") or _time(header, rows, path, layout)
    if time is None:
        layout, time = transposed.LAYOUT, transposed.TIME
        header, records = transposed.as_long(header, enumerate(rows), where)
        lines, rows = map(list, zip(*islice(records, ROWS), strict=True))
    at = _indices(header, time, where)
    times = [_joined(row, at) for row in rows]
    _refuse_time(_joined(header, at), given, where)
    form = given.get("time_format")
    if "time_format" not in given:
        named = " ".join(header[i] for i in at)
        at_row = partial(_where, path, delimiter, above, below)
        form = guess_times.time_format(times, lambda row: at_row(lines[row]), named)
    if of_units and "lines_below" not in given and guess_times.fits(form, [_joined(of_units[0], at)]):
        raise ValueError(
            f"{path}, line {above + 2}: a time and no number; if it is not to be read give --lines-below 1,"
            " for texts that mean no value --missing and --lines-below 0"
        )
    rest = [i for i in range(len(header)) if i not in at]
    blank = {*MISSING, *given.get("missing", ())}
    cells = {i: [text for row in rows if (text := row[i].strip()) not in blank] for i in rest}
    decimal, thousands = guess_signs.signs([text for i in rest for text in cells[i]], given)
    notation = Notation(decimal, thousands)
    repeated = [i for i in rest if _repeats_time(header[i], cells[i], times, form, notation)]
    aside = [i for i in rest if i in repeated or _is_aside(header, rows, i)]
    return Table(
        path=path,
        given=given,
        header=header,
        units=[row for row in of_units[:1] if not _is_of_widths(row)],
        rows=rows,
        times=times,
        delimiter=delimiter,
        notation=notation,
        columns=[i for i in rest if i not in aside],
        aside=aside,
        cells=cells,
        numeric=[i for i in rest if are_numeric(cells[i], notation)],
        keys={"decimal": decimal, "time": time, "time_format": form, "thousands": thousands}
        | ({"layout": layout} if layout else {})
        | {"lines_above": above, "lines_below": below, "delimiter": " " if delimiter == " " else None},
    )


def first_rows(path: Path, delimiter: str, above: int = 0) -> tuple[list[str], list[list[str]]]:
    """Header and first rows of a CSV table."""
    with csv_tables.tables(path) as tables:
        label, stream = tables[0]
        records = (cells for _, cells in csv_tables.records(stream, label, delimiter, above, []))
        header = [name.strip() for name in next(records, [])]
        return header, list(islice(records, ROWS))


def _where(path: Path, delimiter: str, above: int, below: int, row: int) -> str:
    """File and line of a row of values."""
    with csv_tables.tables(path) as tables:
        label, stream = tables[0]
        records = csv_tables.records(stream, label, delimiter, above, [])
        return f"{path}, line {next(islice(records, 1 + below + row, None))[0]}"


def are_numeric(cells: Sequence[str], notation: Notation) -> bool:
    """Whether nine in ten of the cells that have a value are numbers."""
    numbers = (count for cell, count in Counter(cells).items() if math.isfinite(notation.number(cell)))
    return sum(numbers) >= 0.9 * len(cells)


def _time(
    header: Sequence[str], rows: Sequence[Sequence[str]], path: Path, layout: str | None
) -> str | list[str] | None:
    """Column of times, or year, month, ... as columns of their own; None where the header has the times and
    the layout is open."""
    year = names.named(header, names.YEAR)
    long, short = (
        [names.named(header, (part,)) for part in parts] for parts in (names.PARTS, names.SHORT_PARTS)
    )
    month, day, *rest = short if all(short[:2]) else long
    if not month:
        day = names.named(header, names.YEARDAY) or day
    if year and (parts := [part for part in (month, day, *rest) if part]):
        return _finer(header, rows, [year, *parts])
    within = names.named(header, names.WITHIN_YEAR)
    if year and within and not names.named(header, names.WHOLE):
        raise ValueError(
            f"{path}: columns {year!r} and {within!r} are one time; write both into one column, such as"
            " 2020-W05 or 2020-Q1, or give --time if another column has it"
        )
    if apart := _date_and_clock(header, rows):
        return apart
    name = names.named(header, names.TIME)
    if name is not None:
        return name
    for column, name in enumerate(header):
        texts = [row[column] for row in rows[:50]]
        is_told = re.search("date|datum|time", name, re.IGNORECASE) or not are_numeric(texts, Notation())
        varies = len({row[column] for row in rows}) > 1  # unlike that of an update of the table
        if is_told and varies and (guess_times.forms(texts) or guess_times.are_serial(texts)):
            return name
    if layout is None and transposed.first_time(header):  # after columns that name sites
        return None
    cure = "give --time (rows are times, not sites)"
    if is_datum(header[0]):
        cure = "expected the columns' names: add a line with them, or pass over this one with --lines-above"
    raise ValueError(f"{path}: no column of times among {', '.join(header[:12])}; {cure}")


def _date_and_clock(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str] | None:
    """A column of dates and one of clock times, or of hours or starts that tell more lines apart, with one of
    minutes that tells more apart than hours do."""
    date = names.named(header, names.DATE)
    for known in (names.CLOCK, names.HOUR, names.START) if date else ():
        if (clock := names.named(header, known)) is None:
            continue
        at = [header.index(str(date)), header.index(clock)]
        if known is names.CLOCK and re.match(r"\d{1,2}:", rows[0][at[1]].strip()):
            return [str(date), clock]
        least = 0 if known is names.HOUR else 1  # other whole numbers are of places, or count visits
        written = rf"([01]?\d|2[0-4])(:\d\d){{{least},2}}"
        are_times = all(re.fullmatch(written, row[at[1]].strip()) for row in rows)
        if are_times and _count(rows, at) > _count(rows, at[:1]):
            minute = names.named(header, names.MINUTE) if known is names.HOUR else None
            if minute and _count(rows, [*at, header.index(minute)]) > _count(rows, at):
                return [str(date), clock, minute]
            return [str(date), clock]
    return None


def _count(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> int:
    """Different texts of these columns."""
    return len({_joined(row, columns) for row in rows})


def _finer(header: Sequence[str], rows: Sequence[Sequence[str]], parts: list[str]) -> str | list[str]:
    """The parts of a time, or a column of whole times that tells more of them apart."""
    texts = {
        name: [row[column] for row in rows]
        for column, name in enumerate(header)
        if name not in parts and names.named([name], names.WHOLE)
    }
    at = [header.index(part) for part in parts]
    most = _count(rows, at)
    finer = (name for name, cells in texts.items() if len({*cells}) > most and guess_times.forms(cells))
    return next(finer, parts)


def _indices(header: Sequence[str], time: str | Sequence[str], where: str) -> list[int]:
    wanted = [time] if isinstance(time, str) else list(time)
    for name in wanted:
        if name not in header:
            raise ValueError(f"{where}: no column {name!r}; it has {', '.join(header[:12])}")
    return [header.index(name) for name in wanted]


def _joined(row: Sequence[str], columns: Sequence[int]) -> str:
    return " ".join(row[i].strip() for i in columns)


def _refuse_time(name: str, given: Mapping[str, Any], where: str) -> None:
    """ValueError for a time where the header is expected, as in a table without one."""
    form = given.get("time_format")
    if guess_times.fits(form, [name]) if form else guess_times.forms([name]):
        raise ValueError(
            f"{where}: {name!r} is a time, expected the names of the columns; add a line with them, such as"
            " time,a,b"
        )


def _lines_of_units(rows: Sequence[Sequence[str]]) -> int:
    """The lines of units below the header; two where a second one tells how each value was taken."""
    plain = len(rows) > 2 and not any(is_datum(cell.strip()) for cell in rows[0])
    return 2 if plain and _is_of_units(rows[1:]) else int(_is_of_units(rows))


def _is_of_units(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has no number and no time, where the rows below have, but some text."""
    columns = [[row[i].strip() for row in rows] for i in range(len(rows[0]))]
    below = [[cell for cell in rest[:20] if cell] for _, *rest in columns]
    data = [bool(cells) and all(map(is_datum, cells)) for cells in below]
    odd = [first for (first, *_), is_data in zip(columns, data, strict=True) if is_data]
    units = len(odd) > 1 and any(odd) and not any(is_datum(first) for first, *_ in columns)
    return units or _is_of_widths(rows[0])


def _is_of_widths(row: Sequence[str]) -> bool:
    """Whether a row tells widths and kinds of columns, such as 20d, as in RDB files."""
    return all(re.fullmatch("[0-9]+[sdn]", cell) for cell in row)


def is_datum(text: str) -> bool:
    """Whether a cell has a number or a time, or says that there is none."""
    return text in MISSING[1:] or re.match(r"[-+.]?[0-9]", text) is not None


def _repeats_time(
    name: str, cells: Sequence[str], times: Sequence[str], form: str | None, notation: Notation
) -> bool:
    """Whether a column repeats a part of the time on all lines: its cells come again, or its name says so."""
    try:
        if len(cells) < len(times) or not guess_times.repeat_part(cells, times, form, notation):
            return False
    except ValueError:
        return False  # a time that is not in this format, which reading says
    is_told = names.named([name], (*names.YEAR, *names.SHORT_PARTS)) is not None
    return is_told or 1 < len({*cells}) < len(cells)


def _is_aside(header: Sequence[str], rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column holds neither sites nor values: it is named so, or has the number of each line, from 0
    or 1 and in any order."""
    if header_of.is_no_site(header[column]):
        return True
    if column and not names.named([header[column]], names.SITE):
        return False
    cells = {row[column].strip() for row in rows}
    return any(cells == {str(k) for k in range(first, first + len(rows))} for first in (0, 1))
