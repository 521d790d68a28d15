"""The header of a CSV table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from tvgp.study.data import csv_tables
from tvgp.study.datasets.tabular.names import WHOLE, named

_SIGNS = ",;\t|"
_LOOKED_AT, _MOST_ABOVE, _LEAST_BELOW = 60, 20, 5  # lines
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_PARTS = {
    *("year", "month", "week", "day", "hour", "minute", "second", "date", "time", "datetime", "timestamp"),
    *("doy", "dayofyear", "yday", "jday", "julianday", "weekday", "dayofweek", "dow", "index"),
    *("record", "entryid", "decimaldate", "decimalyear", "quarter", "hourending", "period", "interval"),
    *("settlementperiod", "tradingperiod"),
}


def columns(header: Sequence[str], wanted: Collection[str], where: str) -> dict[str, int]:
    """Index of each wanted column; where: file and line of the header. ValueError for a missing, empty or
    repeated name."""
    names = [name.strip() for name in header]
    for name, count in Counter(names).items():
        if count > 1:
            what = repr(name) if name else "without a name"
            raise ValueError(f"{where}: column {what} appears {count} times; give each its own name")
    for name in wanted:
        if name not in names:
            listed = ", ".join(repr(known) for known in names[:12]) + (", ..." if len(names) > 12 else "")
            raise ValueError(f"{where}: no column {name!r}; it has {listed}")
    return {name: names.index(name) for name in wanted}


def is_no_site(name: str) -> bool:
    """Whether a column beside the times holds no site: it has no name, or that of a part of a time."""
    return not name or re.sub("[_ ]", "", name.lower()) in _PARTS or name.lower().startswith("unnamed: ")


def delimiter(path: Path, above: int = 0) -> str:
    """The character between columns: of a comma, a semicolon, a tab and a bar the most frequent one, outside
    quotes, in the header and the next line, or a space where none is in both. above: lines above the header.
    """
    lines = [each for each in first_lines(path, above + 9)[above:] if each.strip()][:2] or [""]
    between = max(_SIGNS, key=lambda sign: (min(each.count(sign) for each in lines), lines[0].count(sign)))
    words = {len(each.lstrip("#").split()) for each in lines}
    is_spaced = len(words) == 1 and max(words) > 1 and not all(between in each for each in lines)
    return " " if is_spaced else between


def lines_above(path: Path) -> int:
    """Lines above the header, such as a title: they have other numbers of columns than all lines below, or
    several that are empty. 0 where that is not certain, as where a cell of the header is a number."""
    lines = first_lines(path, _LOOKED_AT)
    for above, line in enumerate(lines[:_MOST_ABOVE]):
        rest = [each for each in lines[above + 1 :] if each.strip()]
        sign = None if _is_spaced([line, *rest]) else max(_SIGNS, key=line.count)
        names = [cell.strip() for cell in line.lstrip("#").split(sign)]
        below = [len(each.split(sign)) for each in rest]
        if (
            len(names) > 1
            and names.count("") < 2
            and any(names[1:])
            and set(below) == {len(names)}
            and len(below) >= _LEAST_BELOW
        ):
            timed = _are_times(names)
            titled = sign is None and not timed and _are_times(rest[0].lstrip("#").split())
            is_certain = timed or not any(re.match(r"[-+.]?[0-9]", name) for name in names)
            return above + titled if is_certain else 0
    return 0


def _are_times(cells: Sequence[str]) -> bool:
    """Whether a column has a name of times."""
    return named(cells, WHOLE) is not None


def _is_spaced(lines: Sequence[str]) -> bool:
    """Whether spaces may stand between columns: there are several words, and no other sign does, but for
    commas in numbers below the first line."""
    text = lines[0] + re.sub("[0-9],[0-9]", "", "\n".join(lines[1:]))
    return len(lines[0].split()) > 1 and not any(sign in text for sign in _SIGNS)


def first_lines(path: Path, n: int) -> list[str]:
    """The first n lines of a table, those that there are, with q for whatever is in quotes."""
    with csv_tables.tables(path) as tables:
        lines = list(islice(iter(partial(tables[0][1].readline, csv_tables.MAX_LINE), ""), n))
    return [_QUOTED.sub(lambda found: "q" if found[1] else "", line) for line in lines] or [""]
