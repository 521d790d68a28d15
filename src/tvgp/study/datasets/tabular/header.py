"""The header of a CSV table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from tvgp.study.data import raw_files

_SIGNS = ",;\t|"
_LOOKED_AT, _MOST_ABOVE, _LEAST_BELOW = 60, 20, 5  # lines
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_PARTS = {
    *("year", "month", "week", "day", "hour", "minute", "second", "date", "time", "datetime", "timestamp"),
    *("doy", "dayofyear", "yday", "jday", "julianday", "weekday", "dayofweek", "dow", "index"),
    *("record", "entryid"),
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
    return not name or name.lower().replace("_", "") in _PARTS or name.lower().startswith("unnamed: ")


def delimiter(path: Path, above: int = 0) -> str:
    """The character between columns: of a comma, a semicolon, a tab and a bar the most frequent one in the
    header, outside quotes. above: lines above the header."""
    line = first_lines(path, above + 1)[-1]
    return max(_SIGNS, key=line.count)


def lines_above(path: Path) -> int:
    """Lines above the header, such as a title: they have other numbers of columns than all lines below, or
    nothing after their first cell. 0 where that is not certain, as where a cell of the header is a number."""
    lines = first_lines(path, _LOOKED_AT)
    for above, line in enumerate(lines[:_MOST_ABOVE]):
        sign = max(_SIGNS, key=line.count)
        names = [cell.strip() for cell in line.split(sign)]
        below = [each.count(sign) + 1 for each in lines[above + 1 :] if each.strip()]
        if len(names) > 1 and any(names[1:]) and set(below) == {len(names)} and len(below) >= _LEAST_BELOW:
            return 0 if any(re.match(r"[-+.]?[0-9]", name) for name in names) else above
    return 0


def first_lines(path: Path, n: int) -> list[str]:
    """The first n lines of a table, those that there are, with q for whatever is in quotes."""
    with raw_files.tables(path) as tables:
        lines = list(islice(iter(partial(tables[0][1].readline, raw_files.MAX_LINE), ""), n))
    return [_QUOTED.sub(lambda found: "q" if found[1] else "", line) for line in lines] or [""]
