"""Times as text, and the steps of time into which readings are resampled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import numpy as np

from tvgp.study.data import cells

UNIX = "unix seconds"
FIRST_YEAR, LAST_YEAR = 1600, 2200
_STEP = re.compile(r"(?:([1-9][0-9]{0,5}) )?(second|minute|hour|day|week|month|year)s?")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_MONTHS = {"month": 1, "year": 12}
_MONDAY = 4 * 86400  # 5 January 1970, in seconds since 1970
_STORED: dict[str, Any] = {"second": "s", "minute": "m", "hour": "m"}  # all longer steps: days


@dataclass(frozen=True)
class Step:
    """A step of time such as a day, 30 minutes or a month; bins start at whole multiples of it since 1970,
    weeks on Monday."""

    count: int
    unit: str

    @classmethod
    def read(cls, text: str) -> Self:
        """The step in words. ValueError for any other text."""
        found = _STEP.fullmatch(text)
        if not found:
            raise ValueError(
                f"table: step is {text!r}; expected second, minute, hour, day, week, month, year"
                " or a number of them, such as 30 minutes"
            )
        return cls(int(found[1] or 1), found[2])

    def __str__(self) -> str:
        return self.unit if self.count == 1 else f"{self.count} {self.unit}s"

    def bins(self, time: np.ndarray) -> np.ndarray:
        """Number of the bin of each time, whole numbers of the shape of `time` (datetime64[s])."""
        if self.unit in _MONTHS:
            months = time.astype("datetime64[M]").astype(np.int64)
            return months // (self.count * _MONTHS[self.unit])
        shift = _MONDAY if self.unit == "week" else 0
        return (time.astype("datetime64[s]").astype(np.int64) - shift) // (self.count * _SECONDS[self.unit])

    def starts(self, bins: np.ndarray) -> np.ndarray:
        """First instant of each bin: datetime64 of days, of minutes or of seconds, as fields hold them."""
        if self.unit in _MONTHS:
            months = np.asarray(bins) * self.count * _MONTHS[self.unit]
            return months.astype("datetime64[M]").astype("datetime64[D]")
        shift = _MONDAY if self.unit == "week" else 0
        seconds = np.asarray(bins) * self.count * _SECONDS[self.unit] + shift
        return seconds.astype("datetime64[s]").astype(f"datetime64[{_STORED.get(self.unit, 'D')}]")


Parse = Callable[[Any, cells.Where], np.ndarray]


def moment(text: str, form: str | None) -> tuple[datetime, bool]:
    """The time in a text, in UTC if it has an offset, and whether it has one. ValueError for any other text.

    form: of strptime, or "unix seconds"; None for ISO 8601, where a year or a month is its first day.
    """
    try:
        text = text.strip()
        found = _iso(text) if form is None else _unix(text) if form == UNIX else datetime.strptime(text, form)
        plain = found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found
    except (ValueError, OverflowError, OSError):
        expected = "year-month-day, perhaps with hh:mm:ss" if form is None else form
        raise ValueError(
            f"time {text!r} is not {expected}; set `time_format`, such as %d/%m/%Y %H:%M"
        ) from None
    if not FIRST_YEAR <= plain.year <= LAST_YEAR:
        raise ValueError(
            f"time {text!r} is of the year {plain.year}, expected {FIRST_YEAR} to {LAST_YEAR}; check"
            " `time_format`"
        )
    return plain, found.tzinfo is not None


def parser(form: str | None, tally: Counter[str]) -> Parse:
    """parse(texts (n,), where) -> datetime64[s] (n,); where(i): file and line of text i, for messages.

    form: as of `moment`. All times have an offset from UTC, or none has; `tally` counts those that have.
    """
    known: dict[str, np.datetime64] = {}
    first: dict[bool, str] = {}

    def read(text: str) -> np.datetime64:
        if text not in known:
            plain, offset = moment(text, form)
            if (not offset) in first:
                raise ValueError(
                    f"time {text!r} is {'of' if offset else 'without'} an offset from UTC, unlike"
                    f" {first[not offset]!r}; write all times with an offset, or none"
                )
            first.setdefault(offset, text)
            tally["times with an offset from UTC"] += offset
            known[text] = np.datetime64(plain, "s")
        return known[text]

    return lambda texts, where: cells.each(texts, read, "datetime64[s]", where)


def _iso(text: str) -> datetime:
    if re.fullmatch(r"[0-9]{4}", text):
        return datetime(int(text), 1, 1)
    if re.fullmatch(r"[0-9]{4}-[0-9]{1,2}", text):
        year, month = text.split("-")
        return datetime(int(year), int(month), 1)
    if "W" in text.upper():  # fromisoformat accepts weeks
        raise ValueError
    return datetime.fromisoformat(text)


def _unix(text: str) -> datetime:
    return datetime.fromtimestamp(float(text), UTC).replace(tzinfo=None)
