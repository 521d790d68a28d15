"""Guesses of a CSV table's layout, wide or long, and of what its columns are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tvgp.study.datasets.tabular import header as header_of
from tvgp.study.datasets.tabular import names
from tvgp.study.datasets.tabular.guess_csv import Table, are_numeric, is_datum
from tvgp.study.datasets.tabular.guess_times import fits, forms

_COUNTED = (  # names of columns for all hours of a day, days of a month or months of a year
    (r"(?:(?:h|hr|he|hour|d|day|value)[ _]?)?0*(\d{1,2})", (range(24), range(1, 25), range(1, 32))),
    (r"(?:m|month)[ _]?0*(\d{1,2})", (range(1, 13),)),
)


def keys(table: Table) -> dict[str, Any]:
    """Keys of the loader `table`. ValueError, naming the key to give, where the table leaves it open."""
    codes = [name for each in names.CODES if (name := names.named(table.names(table.columns), each))]
    codes = codes if len(codes) == len(names.CODES) else []
    site = table.given.get("site") or codes or _named_site(table)
    return table.keys | (_long(table, site, codes) if _is_long(table, site, codes) else _wide(table))


def _named_site(table: Table) -> str | None:
    """A column with the name of one of sites, no fractions, and, if a time has more than one line, some cells
    that are equal, not all."""
    out = {i for i in table.numeric if _is_site(table, i) and not table.are_whole(i)}
    if table.has_repeats:
        out |= {i for i in table.columns if len({*table.cells[i]}) in (1, len(table.rows))}
    return names.named(table.names([i for i in table.columns if i not in out]), names.SITE)


def _is_site(table: Table, column: int) -> bool:
    return names.named([table.header[column]], names.SITE) is not None


def _is_long(table: Table, site: str | list[str] | None, codes: list[str]) -> bool:
    """Whether the table has one reading per line."""
    given, header = table.given, table.header
    if "layout" in table.keys:
        return bool(table.keys["layout"] != "wide")
    told = bool(given.keys() & {"site", "value"} or codes or names.positions(header, given))
    if (
        site
        and not (told or names.named(header, names.VALUE))
        and {*table.columns} <= {*table.numeric}
        and 2 * len(table.lines) > len(table.times)
    ):
        raise ValueError(
            f"{table.path}: column {site!r} may hold the names of sites or, as most times are on one line,"
            f" the values of one; give --site {site} for one reading per line, else --layout wide"
        )
    return table.has_repeats or bool(site) or "value" in given or _is_of_events(table)


def _is_of_events(table: Table) -> bool:
    """Whether each line is a reading at a time of its own, and words that repeat beside it name its site."""
    place = names.positions(table.header, table.given).values()
    left = {i for i in table.columns if table.header[i] not in place} - names.derived(table.header)
    words = left - {*table.numeric}
    return len(left) == len(words) + 1 and any(_may_name_sites(table, i) for i in words)


def _may_name_sites(table: Table, column: int) -> bool:
    """Whether the words of a column may say which site each line is of: each line has one, they repeat, and
    they change from line to line or the times are not in steps, as those of one site would be."""
    cells = table.cells[column]
    repeat = 1 < len({*cells}) <= len(cells) / 2 and len(cells) == len(table.rows)
    return repeat and not (_last(cells) and table.is_in_steps)


def _last(words: Sequence[str]) -> bool:
    """Whether words follow themselves at least half as often as they would by chance, unlike those of sites
    that report in turn."""
    chance = sum((count / len(words)) ** 2 for count in Counter(words).values())
    return sum(a == b for a, b in pairwise(words)) >= chance / 2 * len(words)


def _wide(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {"layout": "wide"}
    columns, aside = table.columns, table.aside
    for beside in (names.derived(table.header), _words(table)):
        if len(left := [i for i in columns if i not in beside]) > 1:
            aside = sorted({*aside, *beside.intersection(columns)})
            columns = left
    if aside:
        found["exclude"] = table.names(aside)
    _refuse_times(table, table.names(columns))
    _refuse_words(table, columns)
    table.refuse_doubtful_signs(columns)
    units = table.units_of(table.names(columns))
    _refuse_units(table, units, len(columns), "below the header")
    suffixes = {match[0] if (match := names.UNIT.search(table.header[i])) else "" for i in columns}
    told = {each.strip()[1:-1].strip() for each in suffixes} - {""}
    _refuse_units(table, told, len(columns), "in the header")
    if "suffix" not in table.given and len(suffixes) == 1 and "" not in suffixes and len(columns) > 1:
        found["suffix"] = min(suffixes)
        units.add(found["suffix"].strip()[1:-1].strip())
    return found | _units(table, units)


def _refuse_units(table: Table, told: set[str], columns: int, where: str) -> None:
    """ValueError for several texts told of the columns of a wide table that are units: one is known as such,
    or of two columns, as other texts, such as a second name, differ in all or in none."""
    are_units = len(told) < columns or any(map(names.KNOWN.fullmatch, told))
    if len(told) > 1 and are_units and "units" not in table.given:
        raise ValueError(
            f"{table.path}: {where} are {' and '.join(sorted(told)[:2])}; keep the columns of one unit, or"
            " give --units if all are in it"
        )


def _words(table: Table) -> set[int]:
    """Columns of a wide table that hold words or times and no number. ValueError for words that may be the
    sites of single readings."""
    others = [i for i in table.columns if i not in table.numeric and not any(map(is_datum, table.cells[i]))]
    if "layout" not in table.given:
        for name in table.names([i for i in others if _may_name_sites(table, i)]):
            raise ValueError(
                f"{table.path}: column {name!r} may hold the names of sites; give --site {name!r} for one"
                " reading per line, or --layout wide to leave the column out"
            )
    texts = (i for i in table.columns if i not in table.numeric)
    return {*others, *(i for i in texts if forms(table.cells[i]) or _is_clock(table, i))}


def _refuse_times(table: Table, columns: Sequence[str]) -> None:
    """ValueError where the columns are times, or the months, days or hours of a line's year, month or day."""
    clock, months = [f"2000-01-01 {name:0>5}" for name in columns], [f"1 {name} 2000" for name in columns]
    are_times = bool(forms(clock) or forms(months) or (columns and fits(None, columns)))
    for pattern, counts in _COUNTED:
        found = [re.fullmatch(pattern, name, re.IGNORECASE) for name in columns]
        are_times |= [int(each[1]) if each else -1 for each in found] in map(list, counts)
    if "layout" not in table.given and are_times:
        raise ValueError(
            f"{table.path}: columns {columns[0]!r} to {columns[-1]!r} are named as times, expected sites;"
            " write one line per time, or give --layout wide if they are sites"
        )


def _refuse_words(table: Table, columns: Sequence[int]) -> None:
    """ValueError for a column that is not one of numbers."""
    for column in columns:
        if column not in table.numeric:
            name, cells = table.header[column], table.cells[column]
            odd = next(each for each in cells if not are_numeric([each], table.notation))
            raise ValueError(
                f"{table.path}: {odd!r} in column {name!r} is not numeric; a wide table has a column of times"
                " and two or more of sites, in numbers without units: leave it out of the file, or give"
                f" --site {name!r} if it names sites, --missing for texts that mean no value, --decimal and"
                " --thousands for other signs"
            )


def _long(table: Table, site: str | list[str] | None, codes: list[str]) -> dict[str, Any]:
    path, place = table.path, names.positions(table.header, table.given)
    others = {*place.values(), table.given.get("value")}
    labels = [i for i in table.columns if table.header[i] not in others and not _is_clock(table, i)]
    site = site or _telling_apart(table, labels) or _places_apart(table, list(place.values()))
    site = site or _repeating(table, labels)
    if site is None:
        raise ValueError(f"{path}: {_without_site(table)}")
    taken = {*codes, *([site] if isinstance(site, str) else site)}
    varying = [i for i in labels if i in table.numeric and len({*table.cells[i]}) > 1]
    left = [table.header[i] for i in varying if table.header[i] not in taken]
    value = table.given.get("value") or names.named(left, names.VALUE)
    if value is None:
        measured = [name for name in left if names.EPA.match(name)]
        value = next((each[0] for each in (left, measured) if len(each) == 1), None)
    if value is None:
        _refuse_times(table, left)
        raise ValueError(f"{path}: which of {', '.join(left or table.header)} is the value? give --value")
    header_of.columns(table.header, [value], str(path))
    table.refuse_doubtful_signs([i for i in table.columns if table.header[i] == value])
    layout = table.keys.get("layout", "long")
    found = {"layout": layout, "site": site, "value": value}
    return found | place | _units(table, _units_of(table, value))


def _is_clock(table: Table, column: int) -> bool:
    """Whether a column has times of a day, such as 00:15, which name no sites."""
    cells = {*table.cells[column]}
    return bool(cells) and all(re.fullmatch(r"\d{1,2}:\d\d(:\d\d)?", cell) for cell in cells)


def _telling_apart(table: Table, labels: Sequence[int]) -> str | None:
    """The column of the sites in a table of one reading per line: of texts, or whole numbers where most times
    are on several lines, the first that differs between the lines of each time and has few other values; else
    the first of texts that repeat."""
    texts = [i for i in labels if i not in table.numeric]
    lines = table.lines
    codes = [i for i in labels if i in table.numeric and table.are_whole(i)]
    codes = codes if 2 * sum(n > 1 for n in lines.values()) >= len(lines) else []
    for column in (*texts, *codes):
        cells = table.column(table.header[column])
        few = 1 < len(set(cells)) <= 2 * max(lines.values())
        if few and len(set(zip(table.times, cells, strict=True))) == len(cells):
            return table.header[column]
    return None


def _repeating(table: Table, labels: Sequence[int]) -> str | None:
    """The first column of texts that repeat."""
    texts = (i for i in labels if i not in table.numeric)
    found = (i for i in texts if 1 < len({row[i] for row in table.rows}) < len(table.rows))
    return next((table.header[i] for i in found), None)


def _places_apart(table: Table, place: list[str]) -> list[str] | None:
    """The columns of positions, where times have several lines and these tell them apart."""
    lines = [*zip(table.times, *map(table.column, place), strict=True)]
    return place if place and table.has_repeats and len({*lines}) == len(lines) else None


def _without_site(table: Table) -> str:
    """How a table could be read that has no column of sites."""
    if not {*table.columns} <= {*table.numeric}:
        return f"which of {', '.join(table.header)} is the site? give --site"
    twice = next((time for time, lines in table.lines.items() if lines > 1), None)
    if twice is None:  # a column per site, as it seems
        return (
            "each time is on one line, as where each site has a column; give --layout wide, or --site for one"
            " reading per line"
        )
    return (
        f"time {twice!r} is on two lines; correct it, name the zone of clocks that were put back"
        " (--time-zone), or give --layout wide and --aggregate-repeats; for one reading per line give --site;"
        " if another column has its hour or period, write both into one"
    )


def _units_of(table: Table, value: str) -> set[str]:
    """The units told of the values of a long table: below their header, in it, or in a column beside them."""
    told = table.units_of([value])
    if match := names.UNIT.search(value):
        told.add(match[0].strip()[1:-1].strip())
    if beside := names.named(table.header, names.UNITS):
        units = sorted({*table.column(beside)} - {""})
        if len(units) > 1 and "units" not in table.given:
            raise ValueError(
                f"{table.path}: column {beside!r} has {' and '.join(units[:2])}; convert the values to one"
                " unit, or keep the lines of one variable"
            )
        told.update(units)
    return told


def _units(table: Table, told: set[str]) -> dict[str, str]:
    return {"units": min(told)} if len(told) == 1 and "units" not in table.given else {}
