"""The header of a CSV table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from tvgp.study.data import raw_files

_PARTS = {
    *("year", "month", "week", "day", "hour", "minute", "second", "date", "time", "datetime", "timestamp"),
    *("doy", "dayofyear", "yday", "jday", "julianday", "weekday", "dayofweek", "dow", "index"),
}


def columns(header: Sequence[str], wanted: Collection[str], label: str) -> dict[str, int]:
    """Index of each wanted column. ValueError for a missing, empty or repeated name."""
    names = [name.strip() for name in header]
    for name, count in Counter(names).items():
        if count > 1:
            what = repr(name) if name else "without a name"
            raise ValueError(f"{label}, line 1: column {what} appears {count} times; give each its own name")
    for name in wanted:
        if name not in names:
            listed = ", ".join(repr(known) for known in names[:12]) + (", ..." if len(names) > 12 else "")
            raise ValueError(f"{label}, line 1: no column {name!r}; it has {listed}")
    return {name: names.index(name) for name in wanted}


def is_no_site(name: str) -> bool:
    """Whether a column beside the times holds no site: it has no name, or that of a part of a time."""
    return not name or name.lower().replace("_", "") in _PARTS or name.lower().startswith("unnamed: ")


def delimiter(path: Path) -> str:
    """The character between columns: of a comma, a semicolon, a tab and a bar the most frequent one in the
    first line, outside quotes."""
    with raw_files.tables(path) as tables:
        first = re.sub(r'"[^"]*"', "", tables[0][1].readline(raw_files.MAX_LINE))
    return max(",;\t|", key=first.count)
