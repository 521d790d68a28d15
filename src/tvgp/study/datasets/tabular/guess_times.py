"""Guesses of how times are written and of the step between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from tvgp.study.data.cells import Where
from tvgp.study.datasets.tabular import times
from tvgp.study.datasets.tabular.notation import Notation

_CLOCK = r"(?P<clock>[ T]\d{1,2}(?P<m>(:\d{2}| \d{1,2})(?P<s>:\d{2})?)?(?P<half> ?[AaPp][Mm])?)?"
_FORMS = (
    (rf"\d{{1,2}}/\d{{1,2}}/\d{{4}}{_CLOCK}", ("%d/%m/%Y", "%m/%d/%Y")),
    (rf"\d{{1,2}}-\d{{1,2}}-\d{{4}}{_CLOCK}", ("%d-%m-%Y", "%m-%d-%Y")),
    (rf"\d{{1,2}}\.\d{{1,2}}\.\d{{4}}{_CLOCK}", ("%d.%m.%Y",)),
    (rf"\d{{4}}/\d{{1,2}}/\d{{1,2}}{_CLOCK}", ("%Y/%m/%d",)),
    *(
        form
        for s in ("-", " ", "")
        for form in (
            (rf"\d{{1,2}}{s}[A-Za-z]{{3,}}{s}\d{{4}}{_CLOCK}", (f"%d{s}%b{s}%Y", f"%d{s}%B{s}%Y")),
            (rf"\d{{1,2}}{s}[A-Za-z]{{3}}{s}\d{{2}}{_CLOCK}", (f"%d{s}%b{s}%y", f"%y{s}%b{s}%d")),
            (rf"[A-Za-z]{{3,}}{s}\d{{4}}", (f"%b{s}%Y", f"%B{s}%Y")),
        )
    ),
    (r"\d{4}M\d{2}", ("%YM%m",)),
    (rf"\d{{1,2}}/\d{{1,2}}/\d{{2}}{_CLOCK}", ("%d/%m/%y", "%m/%d/%y", "%y/%m/%d")),
    (rf"\d{{1,2}}\.\d{{1,2}}\.\d{{2}}{_CLOCK}", ("%d.%m.%y", "%y.%m.%d")),
    (rf"\d{{8}}{_CLOCK}", ("%Y%m%d",)),
    (r"\d{4}-\d{1,2}-\d{1,2} \d{1,2}", ("%Y-%m-%d %H",)),
    (r"\d{4}-\d{1,2}-\d{1,2} \d{1,2} \d{1,2}", ("%Y-%m-%d %H %M",)),
    (r"\d{6}", ("%Y%m",)),
    (r"\d{7}", ("%Y%j",)),
    (r"\d{4}/\d{1,2}", ("%Y/%m",)),
    (r"\d{1,2}/\d{4}", ("%m/%Y",)),
    (r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-4])", ("%Y%m%d%H",)),  # unix: after 2030
    (r"\d{9,10}(\.\d*)?", ("unix seconds",)),
    (r"\d{13}", ("unix milliseconds",)),
    (r"\d{16}", ("unix microseconds",)),
    (r"\d{19}", ("unix nanoseconds",)),
    (r"\d{4} \d{1,2}", ("%Y %m",)),
    (r"\d{4} \d{1,3}", ("%Y %j",)),
    (r"\d{4} \d{1,2} \d{1,2}", ("%Y %m %d",)),
    (r"\d{4} \d{1,3} \d{1,2}", ("%Y %j %H",)),
    (r"\d{4} \d{1,2} \d{1,2} \d{1,2}", ("%Y %m %d %H",)),
    (r"\d{4} \d{1,2} \d{1,2} \d{1,2} \d{1,2}", ("%Y %m %d %H %M",)),
)
_STEPS = (
    *((s, "second" if s == 1 else f"{s} seconds") for s in (1, 2, 5, 10, 15, 20, 30)),
    *((60 * m, "minute" if m == 1 else f"{m} minutes") for m in (1, 2, 5, 10, 15, 20, 30)),
    *((3600 * h, "hour" if h == 1 else f"{h} hours") for h in (1, 2, 3, 6, 12)),
    (86400, "day"),
    (7 * 86400, "week"),
    (31 * 86400, "month"),
    (366 * 86400, "year"),
)
_WHOLE = ((604800, "week"), (86400, "day"), (3600, "hour"), (60, "minute"))
_MONTH, _UNEVEN = 365.25 / 12 * 86400, 2.5 * 86400  # that of a year, and from it those of any months
_REGULAR = 0.9  # of the gaps
_SHARE = 0.2  # of the gaps: shorter ones that are rarer are irregularities


def time_format(texts: Sequence[str], where: Where, name: str = "") -> str | None:
    """Format of times in a column of this name, None for ISO 8601; where: of each. ValueError for an unknown
    format, and where days may be months."""
    fitting = forms(texts)
    if not fitting and are_serial(texts):
        if re.search("date|datum", name, re.IGNORECASE):
            return times.EXCEL
        raise ValueError(
            f"{where(0)}: time {texts[0]!r} may be a day's number in a spreadsheet; give --time-format"
            f" '{times.EXCEL}' if it is, else write dates"
        )
    if not fitting:
        row = next((row for row, text in enumerate(texts) if not forms([texts[0], text])), 0)
        shown = repr(texts[row]) if texts[row] else "empty"
        cure = "give --time-format, as of strptime" + (", or take this line out" if row else "")
        raise ValueError(f"{where(row)}: the format of time {shown} is not known; {cure}")
    if len(fitting) > 1:
        raise ValueError(
            f"{where(0)}: time {texts[0]!r} may be {' or '.join(map(str, fitting))}; give --time-format"
        )
    return fitting[0]


def forms(texts: Sequence[str]) -> list[str | None]:
    """The formats in which all of the texts are times."""
    texts = [text for text in dict.fromkeys(text.strip() for text in texts) if text]
    if texts and all(times.ends(text, None) for text in texts):
        each = forms([part for text in texts for part in times.ends(text, None)])
        return [form for form in each if fits(form, texts)]
    for pattern, written in _FORMS:
        found = [re.fullmatch(pattern, text) for text in texts]
        if not texts or not all(found):
            continue
        first = found[0].groupdict() if found[0] else {}
        clock = first.get("clock")
        half = first.get("half") or ""
        hour, end = ("%I", f"{half[:-2]}%p") if half else ("%H", "")
        minute = f"{first['m'][0]}%M" if first.get("m") else ""
        minute += ":%S" * bool(first.get("s"))
        tail = f"{clock[0]}{hour}{minute}{end}" if clock else ""
        if fitting := [form + tail for form in written if fits(form + tail, texts)]:
            return list(fitting)
    return [None] if texts and fits(None, texts) else []


def are_serial(texts: Sequence[str]) -> bool:
    """Whether texts may be the numbers that spreadsheets give to days of 1970 to 2100, in regular steps."""
    days = {*texts}
    if not all(re.fullmatch(r"\d{5}(\.\d*)?", day) and "25569" <= day < "73416" for day in days):
        return False
    gaps = np.diff(np.unique(_moments([*days], times.EXCEL))).astype(int)
    return len(gaps) > 1 and _regular(gaps) != ""


def step(time: np.ndarray, site: np.ndarray) -> str:
    """The step of time of readings, as the loader writes it: of regular ones their own, else the shortest
    usual step among the gaps that matters.

    Gaps are those between all times where sites share times, else those at each site.
    """
    order = np.lexsort((time, site))
    gaps = np.diff(time[order])[np.diff(site[order]) == 0]
    shared = np.unique(time)
    if 2 * len(shared) <= len(time):
        gaps = np.diff(shared)
    seconds = gaps.astype("timedelta64[s]").astype(int)
    seconds = seconds[seconds > 0]
    if not len(seconds):
        return "day"
    if regular := _regular(seconds):
        return regular
    limits = np.array([longest for longest, _ in _STEPS])
    bucket = np.searchsorted(limits, seconds).clip(0, len(limits) - 1)
    count = np.bincount(bucket)
    chosen = np.flatnonzero(count >= _SHARE * len(seconds))
    return _STEPS[int(chosen[0] if len(chosen) else count.argmax())][1]


def repeat_part(cells: Sequence[str], texts: Sequence[str], form: str | None, notation: Notation) -> bool:
    """Whether the cells beside the times are always their year, their month, their day or their hour."""

    def is_part(cell: str, text: str, part: str) -> bool:
        return notation.number(cell) == getattr(times.moment(text, form)[0], part)

    def are_all(part: str) -> bool:
        return all(is_part(cell, text, part) for cell, text in zip(cells, texts, strict=True))

    return any(map(are_all, ("year", "month", "day", "hour")))


def are_regular(texts: Sequence[str], form: str | None) -> bool:
    """Whether times in this format follow each other in regular steps."""
    if not fits(form, texts):
        return False
    seconds = np.diff(_moments(texts, form)).astype(int)
    return len(seconds) > 0 and bool(seconds.min() > 0) and _regular(seconds) != ""


def are_shown_twice(texts: Sequence[str], form: str | None, zone: str | None) -> bool:
    """Whether all times in this format, if any, are such as the clocks of a zone show twice."""
    if not texts or zone is None or not fits(form, texts):
        return not texts
    at = times.zone(zone)
    return all(times.is_shown_twice(times.moment(text, form)[0], at) for text in texts)


def _moments(texts: Sequence[str], form: str | None) -> np.ndarray:
    return np.array([times.moment(text, form)[0] for text in texts], dtype="datetime64[s]")


def _regular(seconds: np.ndarray) -> str:
    """The step of gaps that are nearly all multiples of the least, of whole minutes, or of one number of
    calendar months, whose days vary; "" for others."""
    usual = np.median(seconds)
    is_of_days = usual % 86400 == 0 and (seconds == usual).mean() >= _REGULAR
    for months in () if is_of_days else (1, 2, 3, 4, 6, 12):
        if (np.abs(seconds - months * _MONTH) <= _UNEVEN).mean() >= _REGULAR:
            return {1: "month", 12: "year"}.get(months, f"{months} months")
    gap = int(seconds.min())
    gaps = seconds[seconds % gap == 0]  # of readings that are missing too
    if gap % 60 or len(gaps) < _REGULAR * len(seconds) or (gaps == gap).sum() < _SHARE * len(seconds):
        return ""
    length, unit = next((n, unit) for n, unit in _WHOLE if gap % n == 0)
    return unit if gap == length else f"{gap // length} {unit}s"


def fits(form: str | None, texts: Sequence[str]) -> bool:
    """Whether each of the texts by itself is a time in this format."""
    two_digits = "%y" in (form or "")  # of years, which strptime takes for those of 1969 to 2068
    try:
        moments = [times.moment(text, form)[0] for text in texts]
    except ValueError:
        return False
    return not two_digits or max(moments).year <= datetime.now().year + 1
