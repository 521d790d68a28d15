"""Intel Berkeley lab temperatures, 2004: one value per mote and time bin, in degree C.

Reads either the lab's raw `data.txt(.gz)` with `mote_locs.txt`, or the synchronised matrices
`intelTemperatureTrain.csv` and `intelTemperatureTest.csv` (sensors x half-hours, whole days).

Rules for the raw file, whose lines are `date time epoch moteid temperature humidity light
voltage`, every 31 s at best and in any order. Lines with fewer than eight fields and ids outside
1-54 are left out. A reading is valid if its temperature is plausible and its voltage is not below
`least_voltage` (motes with an empty battery report up to 122 degrees). The value of a bin is the
mean of its valid readings, by clock time; a bin without valid readings is missing. Motes with
values in too few bins are failing and removed.
"""

from __future__ import annotations

import gzip
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from tvgp.study.data import cells, csv_tables, raw_files
from tvgp.study.data.field import Field
from tvgp.study.data.splits import period_bounds
from tvgp.study.datasets.standins import intel_lab as standin
from tvgp.study.execution import packing

PATTERNS = (
    "data.txt",
    "data.txt.gz",
    "mote_locs.txt",
    "intelTemperatureTrain.csv",
    "intelTemperatureTest.csv",
)
MATRICES = PATTERNS[3:]

MOTES = range(1, 55)  # the lab's map shows 54
FIELDS = 8
MAX_BINS = 200_000  # the lab was measured for less than two months
MAX_LINES = 5_000_000  # the lab's file has 2.3 million
DAY_MINUTES = 24 * 60
HALF_HOURS = 48  # columns of the matrices for one day
_PLAIN = bytes(range(32, 127)) + b"\t\r\n"


@dataclass(frozen=True)
class Parameters:
    """period: [first, last] day, whole days; the matrices have no dates and start on the
    first day; bin_minutes: length of a bin; coverage: least fraction of bins
    with a value; plausible: [lowest, highest] temperature in degree C; least_voltage: in volts;
    standin_seed: of the stand-in."""

    period: Sequence[str] = ("2004-03-01", "2004-03-05")
    bin_minutes: int = 10
    coverage: float = 0.9
    plausible: Sequence[float] = (0.0, 50.0)
    least_voltage: float = 2.3
    standin_seed: int = 20043


def write_standin(folder: Path, parameters: Parameters) -> list[Path]:
    """Write a stand-in data.txt.gz and mote_locs.txt for `period` into a folder."""
    first, last = period_bounds(parameters.period, "intel_lab period")
    return standin.write(folder, first, last, parameters.standin_seed)


def load(files: Sequence[Path], parameters: Parameters) -> tuple[Field, list[tuple[str, int, str]]]:
    """Convert raw files to a field in degree C, with its quality table (item, count, action).

    ValueError, naming file and line, for an invalid file; naming the files if data.txt or one
    matrix lacks the other file, or if both formats are present.
    """
    _check(parameters)
    named = {Path(path).name: Path(path) for path in files}
    for path in named.values():
        raw_files.check(path)
    raw = [named[name] for name in ("data.txt", "data.txt.gz") if name in named]
    matrices = [named[name] for name in MATRICES if name in named]
    names = ", ".join(sorted(named)) or "no file"
    if len(raw) > 1 or (raw and matrices):
        raise ValueError(
            f"intel_lab: found {names}; keep only one of data.txt, data.txt.gz or the two matrices"
        )
    if raw:
        if "mote_locs.txt" not in named:
            raise ValueError(f"{raw[0]}: mote_locs.txt, with the motes' positions, is missing")
        return _from_readings(raw[0], named["mote_locs.txt"], parameters)
    if len(matrices) < 2:
        raise ValueError(
            f"intel_lab: found {names}; expected data.txt.gz and mote_locs.txt, or {MATRICES[0]}"
            f" and {MATRICES[1]}"
        )
    return _from_matrices(matrices[0], matrices[1], parameters)


def _check(parameters: Parameters) -> None:
    if not 0 < parameters.coverage <= 1:
        raise ValueError(f"intel_lab: coverage is {parameters.coverage}, must lie in (0, 1]")
    if parameters.bin_minutes < 1 or DAY_MINUTES % parameters.bin_minutes:
        raise ValueError(f"intel_lab: bin_minutes is {parameters.bin_minutes}, expected a divisor of 1440")
    limits = list(parameters.plausible)
    if len(limits) != 2 or not limits[0] < limits[1]:
        raise ValueError(f"intel_lab: plausible is {limits}, expected [lowest, highest]")


def _from_readings(
    path: Path, locations: Path, parameters: Parameters
) -> tuple[Field, list[tuple[str, int, str]]]:
    first, last = period_bounds(parameters.period, "intel_lab period")
    bins = (int((last - first).astype(int)) + 1) * DAY_MINUTES // parameters.bin_minutes
    if bins > MAX_BINS:
        raise ValueError(f"intel_lab: period {first} to {last} has {bins} bins, more than {MAX_BINS}")
    tally: Counter[str] = Counter()
    positions, marked = _positions(locations)
    sums, counts = np.zeros((bins, len(MOTES))), np.zeros((bins, len(MOTES)))
    for column, minute, celsius in _readings(path, positions, (first, last), parameters, tally):
        row = minute // parameters.bin_minutes
        sums[row, column] += celsius
        counts[row, column] += 1
    marked |= tally.pop("marks", 0) > 0
    value = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    share = (counts > 0).mean(axis=0)
    kept = np.flatnonzero(share >= parameters.coverage)
    if not len(kept):
        raise ValueError(
            f"{path}: no mote has a value in {parameters.coverage:.0%} of the"
            f" {parameters.bin_minutes}-minute bins from {first} to {last}, the best has"
            f" {share.max():.1%}; lower `coverage` or set `period`"
        )
    step = np.timedelta64(parameters.bin_minutes, "m")
    time = first.astype("datetime64[m]") + step * np.arange(bins)
    x, y = np.array([positions[MOTES[column]] for column in kept]).T
    site = np.array([str(MOTES[column]) for column in kept])
    attrs = _attrs(f"{parameters.bin_minutes} minutes", "standin" if marked else "real")
    field = Field(value[:, kept], time, site, y, x, attrs | {"positions": "metres"})
    return field, _quality(field, tally, np.delete(np.arange(len(MOTES)), kept), share, parameters)


def _readings(
    path: Path,
    positions: dict[int, tuple[float, float]],
    period: tuple[np.datetime64, np.datetime64],
    parameters: Parameters,
    tally: Counter,
) -> Iterator[tuple[int, int, float]]:
    """(column, minute since the period began, degree C) of each valid reading."""
    low, high = parameters.plausible
    days: dict[bytes, int | None] = {}
    newest = [(b"", b"")] * len(MOTES)
    for number, line in _lines(path):
        if line.startswith(standin.MARK):
            tally["marks"] += 1
            continue
        parts = line.split()
        if not parts:
            continue
        tally["lines read"] += 1
        if len(parts) < FIELDS:
            tally["truncated lines"] += 1
            continue
        where = f"{path}, line {number}"
        if len(parts) > FIELDS:
            raise ValueError(f"{where}: {len(parts)} fields, expected {FIELDS} (date ... voltage)")
        if parts[0] not in days:
            days[parts[0]] = _day_of(parts[0], period, where)
        day = days[parts[0]]
        mote = _whole(parts[3], "mote id", where)
        if mote not in MOTES:
            tally["readings of ids outside 1-54"] += 1
            continue
        if day is None:
            tally["readings outside the period"] += 1
            continue
        if mote not in positions:
            raise ValueError(f"{where}: mote {mote} has no position in mote_locs.txt")
        _whole(parts[2], "epoch", where)
        celsius, _, _, volts = (_number(text, where) for text in parts[4:])
        minute = day * DAY_MINUTES + _minute(parts[1], where)
        column = mote - MOTES[0]
        if (parts[0], parts[1]) < newest[column]:
            tally["readings not in time order"] += 1
        newest[column] = max(newest[column], (parts[0], parts[1]))
        if not low <= celsius <= high:
            tally["implausible temperatures"] += 1
        elif volts < parameters.least_voltage:
            tally["readings at low voltage"] += 1
        else:
            tally["readings used"] += 1
            yield column, minute, celsius


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines of a text file, gzipped or not. ValueError for other than plain text."""
    size = 0
    try:
        with open(path, "rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as stream:
            number = 0
            while line := stream.readline(csv_tables.MAX_LINE):
                number += 1
                size += len(line)
                if line.translate(None, _PLAIN):
                    raise ValueError(f"{path}, line {number}: binary data, expected plain text")
                if len(line) >= csv_tables.MAX_LINE:
                    raise ValueError(f"{path}, line {number}: longer than {csv_tables.MAX_LINE} characters")
                if number % 4096 == 0:
                    packing.refuse_bomb(size, raw.tell(), str(path))
                if number > MAX_LINES:
                    raise ValueError(f"{path}: more than {MAX_LINES} lines")
                if size > csv_tables.MAX_TABLE_BYTES:
                    limit = csv_tables.MAX_TABLE_BYTES / 1e6
                    raise ValueError(f"{path}: more than {limit:.0f} MB of text")
                yield number, line
    except packing.GZIP_FAULTS as error:
        raise ValueError(f"{path}: not a gzip file, damaged or truncated ({error})") from None


def _positions(path: Path) -> tuple[dict[int, tuple[float, float]], bool]:
    """Mote id -> (x, y) in metres, and whether the file is a stand-in."""
    positions: dict[int, tuple[float, float]] = {}
    marked = False
    for number, line in _lines(path):
        if line.startswith(standin.MARK):
            marked = True
            continue
        parts = line.split()
        if not parts:
            continue
        where = f"{path}, line {number}"
        if len(parts) != 3:
            raise ValueError(f"{where}: {len(parts)} fields, expected 3 (mote id, x, y)")
        mote = _whole(parts[0], "mote id", where)
        if mote in positions:
            raise ValueError(f"{where}: mote {mote} has a second position")
        positions[mote] = (_number(parts[1], where), _number(parts[2], where))
    return positions, marked


def _day_of(text: bytes, period: tuple[np.datetime64, np.datetime64], where: str) -> int | None:
    """Days since the period began, None outside it."""
    try:
        day = np.datetime64(date.fromisoformat(text.decode()), "D")
    except ValueError:
        raise ValueError(f"{where}: {text.decode()!r} is not a date year-month-day") from None
    first, last = period
    return int((day - first).astype(int)) if first <= day <= last else None


def _minute(text: bytes, where: str) -> int:
    """Minute of the day of "hh:mm:ss" or "hh:mm:ss.ffffff"."""
    hour, minute, second, fraction = text[:2], text[3:5], text[6:8], text[9:]
    valid = text[2:3] == text[5:6] == b":" and (hour + minute + second).isdigit()
    valid = valid and (len(text) == 8 or (text[8:9] == b"." and fraction.isdigit()))
    if not valid or hour > b"23" or minute > b"59" or second > b"60":
        raise ValueError(f"{where}: {text.decode()!r} is not a time hh:mm:ss")
    return int(hour) * 60 + int(minute)


def _whole(text: bytes, what: str, where: str) -> int:
    if not text.isdigit():
        raise ValueError(f"{where}: {what} {text.decode()!r} is not a whole number")
    return int(text)


def _number(text: bytes, where: str) -> float:
    value = csv_tables.number(text)
    if not math.isfinite(value):
        raise ValueError(f"{where}: {text.decode()!r} is not a number")
    return value


def _from_matrices(
    train: Path, test: Path, parameters: Parameters
) -> tuple[Field, list[tuple[str, int, str]]]:
    """The two matrices in sequence; their days are dated from the start of `period`."""
    parts = [_matrix(path, parameters) for path in (train, test)]
    if len(parts[0]) != len(parts[1]):
        raise ValueError(f"{test}: {len(parts[1])} sensors, {train.name} has {len(parts[0])}")
    value = np.hstack(parts).T
    first, _ = period_bounds(parameters.period, "intel_lab period")
    step = np.timedelta64(DAY_MINUTES // HALF_HOURS, "m")
    time = first.astype("datetime64[m]") + step * np.arange(len(value))
    site = np.array([f"row {row}" for row in range(1, value.shape[1] + 1)])
    unknown = np.full(len(site), np.nan)
    attrs = _attrs("30 minutes", "real") | {
        "positions": "none",
        "dates": "nominal: the matrices have no dates, and their days may not be consecutive",
    }
    field = Field(value, time, site, unknown, unknown, attrs)
    days = [part.shape[1] // HALF_HOURS for part in parts]
    return field, [
        ("raw files", 2, "read"),
        ("sensors", len(site), "all kept; the matrices have no ids and no positions"),
        ("days", sum(days), f"{days[0]} from {train.name}, then {days[1]} from {test.name}"),
        ("missing values", 0, "none in the matrices"),
    ]


def _matrix(path: Path, parameters: Parameters) -> np.ndarray:
    """(sensors, half-hours) in degree C."""
    text = cells.table(path, header=False)
    if text.shape[1] % HALF_HOURS:
        columns = f"{text.shape[1]} columns, expected whole days of {HALF_HOURS} half-hours"
        raise ValueError(f"{path}, line 1: {columns}")
    return cells.quantities(text, f"{path}", "temperature", parameters.plausible, "degree C")


def _attrs(frequency: str, source: str) -> dict[str, str]:
    return {
        "title": "Temperatures in the Intel Berkeley research lab",
        "units": "degC",
        "long_name": "air temperature at the motes",
        "frequency": frequency,
        "licence": "free to use and reproduce in any form, acknowledgement requested",
        "citation": "P. Bodik, W. Hong, C. Guestrin, S. Madden, M. Paskin, R. Thibaux (2004),"
        " Intel Lab Data, https://db.csail.mit.edu/labdata/labdata.html",
        "source": source,
    }


def _quality(
    field: Field, tally: Counter, dropped: np.ndarray, share: np.ndarray, parameters: Parameters
) -> list[tuple[str, int, str]]:
    low, high = parameters.plausible
    silent = [str(MOTES[column]) for column in dropped if share[column] == 0]
    failing = [str(MOTES[column]) for column in dropped if share[column] > 0]
    actions = {
        "lines read": "checked",
        "truncated lines": "fewer than 8 fields, left out",
        "readings of ids outside 1-54": "left out",
        "readings outside the period": "left out",
        "implausible temperatures": f"outside {low:g} to {high:g} degree C, left out",
        "readings at low voltage": f"below {parameters.least_voltage:g} V, left out",
        "readings not in time order": "assigned to the bin of their clock time",
        "readings used": f"mean over {parameters.bin_minutes} minutes",
    }
    return [
        ("raw files", 2, "read"),
        *((item, tally[item], action) for item, action in actions.items()),
        ("motes kept", len(field.site), f"value in at least {parameters.coverage:.0%} of bins"),
        ("motes removed", len(failing), f"failing, fewer values: {', '.join(failing) or 'none'}"),
        ("motes without any value", len(silent), f"left out: {', '.join(silent) or 'none'}"),
        ("bins", len(field.time), f"{field.time[0]} to {field.time[-1]}"),
        ("missing values", int(np.isnan(field.value).sum()), "mote not available in that bin"),
    ]
