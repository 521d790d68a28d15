"""Tables with a line per site and a column per time, read as tables of one reading per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from tvgp.study.datasets.tabular import guess_times, names

LAYOUT, TIME, VALUE = "transposed", "time", "value"  # of the lines that are made
_LEAST = 3  # times in a header, and more in a table that can be played


def first_time(header: Sequence[str]) -> int | None:
    """Where the times of a header begin, which are its last names but for those of unnamed columns; None for
    fewer than three.

    >>> first_time(["Country", "2000", "2001", "2002", ""])
    1
    """
    last = [*takewhile(lambda name: not name or guess_times.forms([_time(name)]), reversed(header))]
    return len(header) - len(last) if len([name for name in last if name]) >= _LEAST else None


def as_long(
    header: Sequence[str], records: Iterable[tuple[int, list[str]]], where: str
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Header and records, with their lines, of one reading per line; where: file and line of the header.
    ValueError for a header without times, or with a name that the columns made have."""
    start = first_time(header)
    if start is None:
        raise ValueError(
            f"{where}: the last columns are {', '.join(header[-3:])}; expected times, as `layout` is {LAYOUT}"
        )
    if taken := {TIME, VALUE}.intersection(header[:start]):
        raise ValueError(
            f"{where}: column {min(taken)!r} is beside times in the header; give it another name"
        )

    times = [*map(_time, header[start:])]

    def readings() -> Iterator[tuple[int, list[str]]]:
        for line, row in records:
            for time, cell in zip(times, row[start:], strict=True):
                if time or cell.strip():  # a value without a time is refused where times are read
                    yield line, [*row[:start], time, cell]

    return [*header[:start], TIME, VALUE], readings()


def _time(name: str) -> str:
    """Without what stands behind in brackets, as in 1990 [YR1990]."""
    return names.UNIT.sub("", name)
