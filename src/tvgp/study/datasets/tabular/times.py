"""Times as text, and the steps of time into which readings are resampled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from tvgp.study.data import cells

UNIX = {  # and how many are a second
    "unix seconds": 1,
    "unix milliseconds": 10**3,
    "unix microseconds": 10**6,
    "unix nanoseconds": 10**9,
}
EXCEL, _DAY_0 = "excel days", datetime(1899, 12, 30)  # of spreadsheets, from March 1900 on
FIRST_YEAR, LAST_YEAR = 1600, 2200
ON_CLOCKS = "times on the clocks of a zone"
_BETWEEN = " - "  # the ends of an interval
_MIDNIGHT = re.compile(r"(?<=[ T])24((?::00){0,2}(?:Z|[+-][0-9]{2}:?[0-9]{2})?)$")
_ENDS_IN_HOURS = re.compile(r"%H(:%M(:%S)?)?(%z)?$")
_STEP = re.compile(r"(?:([1-9][0-9]{0,5}) )?(second|minute|hour|day|week|month|year)s?")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_MONTHS = {"month": 1, "year": 12}
_MONDAY = 4 * 86400  # 5 January 1970, in seconds since 1970
_ZERO = timedelta(0)
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
    """The time in a text, to seconds, in UTC if it has an offset, and whether it has one, of an interval its
    start. ValueError for any other text.

    form: of strptime, a key of `UNIX`, `EXCEL`, or None for ISO 8601, where a year, quarter (2020-Q1), month
    or week (2020-W05) is its first day.
    """
    if parts := ends(text, form):
        return [moment(part, form) for part in parts][0]
    try:
        text = text.strip()
        midnight = _midnight(text, form)  # the end of a day is the start of the next
        plain_text = f"{text[: midnight.start()]}00{midnight[1]}" if midnight else text
        found = _iso(plain_text) if form is None else _parsed(plain_text, form)
        found += timedelta(days=bool(midnight), milliseconds=1)  # fractions of days end just below a second
        plain = (found.astimezone(UTC) if found.tzinfo else found).replace(tzinfo=None, microsecond=0)
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


def ends(text: str, form: str | None) -> list[str]:
    """Both ends of an interval such as 2020-01-01 00:00 - 2020-01-01 01:00; none of another text."""
    parts = text.split(_BETWEEN)
    return parts if len(parts) == 2 and _BETWEEN not in (form or "") else []


def _midnight(text: str, form: str | None) -> re.Match[str] | None:
    """The hour 24 that ends a time; 24 may also be a day or a year where the format does not end in hours."""
    return _MIDNIGHT.search(text) if form is None or _ENDS_IN_HOURS.search(form) else None


def zone(name: str) -> tzinfo:
    """A time zone by name or by its offset from UTC, such as Europe/Paris, UTC or +01:00. ValueError for any
    other text."""
    if re.fullmatch(r"[+-][0-9]{2}:[0-9]{2}", name):
        return datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo or UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"table: time_zone is {name!r}; expected a name such as Europe/Paris, which may need the package"
            " tzdata, or an offset such as +01:00"
        ) from None


def standard(time: datetime, of: tzinfo) -> datetime:
    """A time in UTC as standard time of a zone, whose days have 24 hours all year."""
    local = time.replace(tzinfo=UTC).astimezone(of)
    return (local - (local.dst() or _ZERO)).replace(tzinfo=None)


def is_shown_twice(time: datetime, of: tzinfo) -> bool:
    """Whether the clocks of a zone show a time twice, as they are put back."""
    first, second = (time.replace(tzinfo=of, fold=fold).utcoffset() or _ZERO for fold in (0, 1))
    return first > second


def shifted(instants: np.ndarray, of: str | None) -> np.ndarray:
    """Instants in UTC (n,), datetime64[s], as standard time of a zone; of: None for UTC."""
    if of is None:
        return instants
    at = zone(of)
    moved = [standard(each, at) for each in instants.astype("datetime64[s]").astype(datetime).tolist()]
    return np.array(moved, dtype="datetime64[s]")


def as_days(time: np.ndarray) -> np.ndarray:
    """Standard times of a zone (n,), datetime64[s]; where all are midnights on its clocks, as those of daily
    means, in summer 23 h of the day before, the days."""
    clock = (time - time.astype("datetime64[D]")).astype(int)
    late = clock == 23 * 3600
    are_days = late.any() and not late.all() and ((clock == 0) | late).all()
    return time + late * np.timedelta64(3600, "s") if are_days else time


def _has_clock(text: str, form: str | None) -> bool:
    """Whether a time tells an hour."""
    if form is None:
        return re.search("[Tt: ]", (ends(text, form) or [text])[0].strip()) is not None
    return form in (*UNIX, EXCEL) or re.search("%[HIcX]", form) is not None


def _clock(time: datetime, text: str, of: tzinfo) -> datetime:
    """A time on the clocks of a zone in UTC; of one that comes twice the first. ValueError for one that those
    clocks skip."""
    utc = time.replace(tzinfo=of).astimezone(UTC)
    if utc.astimezone(of).replace(tzinfo=None) != time:
        raise ValueError(
            f"time {text!r} does not exist in {of}, where clocks are put forward; if the times are of"
            " standard time all year, set `time_zone` to its offset, such as +01:00"
        )
    return utc.replace(tzinfo=None)


def parser(form: str | None, tally: Counter[str], of: str | None = None) -> Parse:
    """parse(texts (n,), where) -> datetime64[s] (n,); where(i): file and line of text i, for messages.

    form: as of `moment`. All times have an offset from UTC, or none has; `tally` counts those that have, and
    those on clocks.
    of: a time zone, whose standard time the results are; times without an offset are those of its clocks, but
    days, months and years are the same in all zones.
    """
    at = None if of is None else zone(of)
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
            if at is not None and _has_clock(text, form):
                instant = offset or form in UNIX
                plain = standard(plain if instant else _clock(plain, text, at), at)
                tally[ON_CLOCKS] += not instant
            tally["times with an offset from UTC"] += offset
            tally["times that are intervals"] += bool(ends(text, form))
            tally["times of hour 24"] += _midnight(text.strip(), form) is not None
            known[text] = np.datetime64(plain, "s")
        return known[text]

    return lambda texts, where: cells.each(texts, read, "datetime64[s]", where)


def _iso(text: str) -> datetime:
    if re.fullmatch(r"[0-9]{4}(-[0-9]{1,2})?", text):
        return datetime(int(text[:4]), int(text[5:] or 1), 1)
    if quarter := re.fullmatch(r"([0-9]{4})-?Q([1-4])", text):
        return datetime(int(quarter[1]), 3 * int(quarter[2]) - 2, 1)
    return datetime.fromisoformat(re.sub(" ?(UTC|GMT)$", "+00:00", text))


def _parsed(text: str, form: str) -> datetime:
    if form in UNIX:
        return datetime.fromtimestamp(float(text) / UNIX[form], UTC).replace(tzinfo=None)
    if form == EXCEL:
        return _DAY_0 + timedelta(seconds=round(float(text) * 86400))
    return datetime.strptime(text, form)
