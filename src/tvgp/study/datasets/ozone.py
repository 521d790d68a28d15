"""EPA daily ozone: the daily maximum 8-hour mean of each site of one US state, in ppb.

Reads AirData's yearly files (daily_44201_<year>.zip, 29 columns) and the "Download Daily Data"
exports (18, 20 or 21 columns), any number of files of either kind together.

One value per site and day is kept, in this order of preference: rows that include exceptional
events over rows that exclude them (the people breathed that air), AQS (final) over AirNow
(preliminary), the newest 8-hour standard, the lowest POC (instrument number). A duplicate
instrument and day within a file is an error; two files may repeat a row but must not disagree.
Sites with values on too few days are dropped.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from tvgp.study.data import raw_files
from tvgp.study.data.field import Field
from tvgp.study.data.splits import period_bounds
from tvgp.study.datasets.standins import ozone as standin

PATTERNS = ("*.csv", "*.zip")

PPB = {"parts per million": 1000.0, "ppm": 1000.0, "parts per billion": 1.0, "ppb": 1.0}
MAX_PPB = 500.0  # far above any US site since 1980; larger values mean wrong units
MIN_PPB = 0.2  # AQS gives whole ppb; smaller values are ppm labelled ppb
FIRST_YEAR, LAST_YEAR = 1957, 2050  # AQS has no older data; later years are errors
UNKNOWN = "."  # a position that EPA does not know

AIRDATA = {
    "date": "date local",
    "value": "1st max value",
    "units": "units of measure",
    "poc": "poc",
    "parameter": "parameter code",
    "state": "state name",
    "lat": "latitude",
    "lon": "longitude",
    "state code": "state code",
    "county code": "county code",
    "number": "site num",
    "event": "event type",
    "duration": "sample duration",
    "standard": "pollutant standard",
    "name": "local site name",
}
DAILY = {
    "date": "date",
    "value": "daily max 8-hour ozone concentration",
    "units": "units",
    "poc": "poc",
    "parameter": "aqs parameter code",
    "state": "state",
    "lat": "site latitude",
    "lon": "site longitude",
}
SITE_IDS = ("aqs site id", "site id")
SITE_NAMES = ("local site name", "site name")

REPEATS = (  # one per part of a row's rank
    "repeats without exceptional events",
    "AirNow repeats of AQS values",
    "repeats under an older standard",
    "repeats of a higher POC",
)


@dataclass(frozen=True)
class Parameters:
    """state: name as in the files, None for all; coverage: least fraction of days with a value,
    of the days on which any site has one; period: [first, last] date, None for all days;
    years and standin_seed: of the stand-in (years also replace {year} in the URL)."""

    state: str | None = "New York"
    coverage: float = 0.75
    period: Sequence[str] | None = None
    years: Sequence[int] = (2021, 2022, 2023)
    standin_seed: int = 20211


class Row(NamedTuple):
    """One accepted line. rank: (events excluded, source, standard, POC); the lowest rank is kept."""

    site: str
    day: date
    rank: tuple[int, int, int, int]
    file: str
    line: int
    ppb: float
    position: tuple[float, float] | None
    name: str


def write_standin(folder: Path, parameters: Parameters) -> list[Path]:
    """Write stand-in AirData files for `years` into a folder; only for New York."""
    if parameters.state != standin.STATE:
        raise ValueError(f"ozone: no stand-in for {parameters.state!r}, only for {standin.STATE!r}")
    return standin.write(folder, parameters.years, parameters.standin_seed)


def load(files: Sequence[Path], parameters: Parameters) -> tuple[Field, list[tuple[str, int, str]]]:
    """Convert raw files to a daily field in ppb, with its quality table (item, count, action).

    ValueError, naming file, line and column, for an invalid table; naming the selection if no row
    or no site is left.
    """
    if not 0 < parameters.coverage <= 1:
        raise ValueError(f"ozone: coverage is {parameters.coverage}, must lie in (0, 1]")
    rows: list[Row] = []
    tally: Counter[str] = Counter()
    states: set[str] = set()
    for path in files:
        raw_files.check(path)
        with raw_files.tables(path, errors="replace") as tables:
            for label, stream in tables:
                rows += _read(stream, label, parameters.state, tally, states)
    names = ", ".join(sorted(Path(path).name for path in files))
    if not rows:
        found = ", ".join(sorted(states)[:5]) or "no rows"
        raise ValueError(f"ozone: no value of state {parameters.state!r} in {names} ({found})")
    standins = sum(standin.is_marked(row.name) for row in rows)
    inside = _in_period(rows, parameters.period, names)
    tally["rows outside the period"] = len(rows) - len(inside)
    inside, lost = _with_position(inside, names)
    field, tally["sites dropped"] = _grid(_one_per_site_day(inside, tally), parameters, names)
    field.attrs["source"] = "standin" if standins else "real"
    tally["raw files"] = len(files)
    return field, _quality(field, tally, lost, parameters)


def _read(stream: TextIO, label: str, state: str | None, tally: Counter, states: set[str]) -> list[Row]:
    """The state's rows of one table, each checked."""
    records = raw_files.records(stream, label)
    columns = _columns(next(records, (1, []))[1], label)
    chosen = state.strip().casefold() if state else None
    position = columns["state"]
    result = []
    for line, cells in records:
        tally["rows read"] += 1
        states.add(cells[position])
        if chosen is not None and cells[position].strip().casefold() != chosen:
            tally["rows of other states"] += 1
            continue
        where = f"{label}, line {line}"
        row = {role: cells[index].strip() for role, index in columns.items()}
        if row.get("duration", "8-HR")[:4].upper() != "8-HR":
            tally["rows of other averaging times"] += 1
        elif row["value"] == "":
            tally["rows without a value"] += 1
        else:
            result.append(_row(row, label, line, where))
    return result


def _columns(header: list[str], label: str) -> dict[str, int]:
    """Column index of each role, from a header in any of the known layouts."""
    index = {name.strip().casefold().replace("_", " "): i for i, name in enumerate(header)}
    if "1st max value" in index or "date local" in index:
        layout = AIRDATA
        optional: tuple[str, ...] = ()
    else:
        site = next((name for name in SITE_IDS if name in index), SITE_IDS[0])
        layout, optional = {**DAILY, "site": site}, ("source", "name")
        layout |= {"source": "source", "name": next((n for n in SITE_NAMES if n in index), "")}
    missing = [name for role, name in layout.items() if name not in index and role not in optional]
    if missing:
        raise ValueError(
            f"{label}, line 1: no column {missing[0]!r}; expected EPA's daily ozone table"
            f" with the columns {', '.join(repr(n) for n in layout.values() if n)}"
        )
    counts = Counter(name.strip().casefold().replace("_", " ") for name in header)
    double = next((name for name in layout.values() if counts[name] > 1), None)
    if double:
        raise ValueError(f"{label}, line 1: column {double!r} appears {counts[double]} times")
    return {role: index[name] for role, name in layout.items() if name in index}


def _row(row: dict[str, str], label: str, line: int, where: str) -> Row:
    if row["parameter"].lstrip("0") not in ("44201", "44201.0"):
        raise ValueError(f"{where}: parameter code {row['parameter']!r} is not ozone (44201)")
    factor = PPB.get(row["units"].casefold())
    if factor is None:
        raise ValueError(f"{where}: units {row['units']!r}, expected ppm or ppb")
    ppb = _number(row["value"], where, "the ozone value") * factor
    if ppb < 0:
        raise ValueError(
            f"{where}: negative ozone value {row['value']}; a daily maximum cannot be negative;"
            " delete the line if it is an instrument fault"
        )
    if ppb > MAX_PPB or 0 < ppb < MIN_PPB:
        raise ValueError(f"{where}: ozone value {row['value']} {row['units']} is not plausible")
    if "site" in row:
        site = _digits(row["site"], 9, where, "site id")
    else:
        parts = (("state code", 2), ("county code", 3), ("number", 4))
        site = "".join(_digits(row[role], width, where, role) for role, width in parts)
    rank = (
        int(row.get("event", "").casefold() in ("excluded", "events excluded")),
        int(row.get("source", "AQS").casefold() == "airnow"),
        -max((int(y) for y in re.findall(r"\b(?:19|20)\d\d\b", row.get("standard", ""))), default=0),
        int(_digits(row["poc"], 1, where, "POC")),
    )
    name = row.get("name", "")
    return Row(site, _day(row["date"], where), rank, label, line, round(ppb, 6), _position(row, where), name)


def _position(row: dict[str, str], where: str) -> tuple[float, float] | None:
    """Degrees north and east, None if unknown. ValueError outside the USA with its territories,
    Canada and Mexico, so for exchanged columns."""
    if UNKNOWN in (row["lat"], row["lon"]):
        return None
    lat = _number(row["lat"], where, "the latitude")
    lon = _number(row["lon"], where, "the longitude")
    if not (-15 <= lat <= 72 and (-180 <= lon <= -60 or 140 <= lon <= 180)):
        raise ValueError(
            f"{where}: latitude {lat:g}, longitude {lon:g} is not in North America or a US territory"
        )
    return lat, lon


def _number(text: str, where: str, what: str) -> float:
    value = raw_files.number(text)
    if not math.isfinite(value):
        raise ValueError(f"{where}: {what} {text!r} is not a number")
    return value


def _digits(text: str, width: int, where: str, what: str) -> str:
    """A code as digits with its leading zeros; spreadsheets drop them or append ".0"."""
    digits = text.removesuffix(".0")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > max(width, 3):
        raise ValueError(f"{where}: {what} {text!r} is not a code of {width} digits")
    return digits.zfill(width)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> date | None:
    for form in ("%m/%d/%Y", "%Y-%m-%d"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


def _day(text: str, where: str) -> date:
    day = _parsed(text)
    if day is None:
        raise ValueError(f"{where}: date {text!r} is neither month/day/year nor year-month-day")
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"{where}: date {text} lies outside {FIRST_YEAR}-{LAST_YEAR}")
    return day


def _in_period(rows: list[Row], period: Sequence[str] | None, names: str) -> list[Row]:
    if period is None:
        return rows
    first, last = period_bounds(period, "ozone period")
    inside = [row for row in rows if first <= np.datetime64(row.day) <= last]
    if not inside:
        span = f"{min(row.day for row in rows)} to {max(row.day for row in rows)}"
        raise ValueError(f"ozone: no value between {first} and {last} in {names} (has {span})")
    return inside


def _with_position(rows: list[Row], names: str) -> tuple[list[Row], list[str]]:
    """The rows of sites with a known position, and the other sites by id and name."""
    known = {row.site for row in rows if row.position}
    lost = sorted({f"{row.site} {row.name}".strip() for row in rows if row.site not in known})
    if not known:
        raise ValueError(f"ozone: no site in {names} has a position")
    return [row for row in rows if row.site in known], lost


def _one_per_site_day(rows: list[Row], tally: Counter) -> list[Row]:
    """One row per site and day, by the order of preference in the module's docstring."""
    rows = sorted(rows, key=lambda row: (row.site, row.day, row.rank, row.file, row.line))
    kept: list[Row] = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is None or (before.site, before.day) != (row.site, row.day):
            kept.append(row)
        elif before.rank != row.rank:
            reason = next(i for i, (a, b) in enumerate(zip(before.rank, row.rank, strict=True)) if a != b)
            tally[REPEATS[reason]] += 1
        elif before.file == row.file or before.ppb != row.ppb:
            raise ValueError(
                f"{row.file}, line {row.line}: site {row.site} has a duplicate value for {row.day}"
                f" from the same instrument; see {before.file}, line {before.line}"
            )
        else:
            tally["same value in two files"] += 1
    return kept


def _grid(rows: list[Row], parameters: Parameters, names: str) -> tuple[Field, int]:
    """Daily field of the sites with enough values, and the number of other sites.

    Days without a value at any site are not on the time axis: no arm can be chosen.
    """
    time = np.unique(np.array([row.day for row in rows], dtype="datetime64[D]"))
    by_site: dict[str, list[Row]] = {}
    for row in rows:
        by_site.setdefault(row.site, []).append(row)
    sites = [s for s in sorted(by_site) if len(by_site[s]) >= parameters.coverage * len(time)]
    if not sites:
        best = max(len(own) for own in by_site.values()) / len(time)
        raise ValueError(
            f"ozone: none of {len(by_site)} sites in {names} has a value on"
            f" {parameters.coverage:.0%} of {len(time)} days ({time[0]} to {time[-1]}),"
            f" the best has {best:.1%}; lower `coverage` or set `period`"
        )
    value = np.full((len(time), len(sites)), np.nan)
    for column, site in enumerate(sites):
        days = np.array([row.day for row in by_site[site]], dtype="datetime64[D]")
        value[np.searchsorted(time, days), column] = [row.ppb for row in by_site[site]]
    reported = np.isfinite(value).any(axis=1)
    value, time = value[reported], time[reported]
    # The most frequent position of a site's rows: exports round it differently.
    positions = [
        Counter(row.position for row in by_site[s] if row.position).most_common(1)[0][0] for s in sites
    ]
    lat, lon = np.array(positions).T
    attrs = {
        "title": f"Daily maximum 8-hour ozone, {parameters.state or 'all states'}",
        "units": "ppb",
        "long_name": "daily maximum 8-hour mean ozone",
        "frequency": "day",
        "licence": "US EPA data, public domain in the USA",
        "citation": "US Environmental Protection Agency, Air Quality System, parameter 44201",
    }
    return Field(value, time, np.array(sites), lat, lon, attrs), len(by_site) - len(sites)


def _quality(
    field: Field, tally: Counter, lost: list[str], parameters: Parameters
) -> list[tuple[str, int, str]]:
    span = int((field.time[-1] - field.time[0]).astype(int)) + 1
    actions = {
        "raw files": "read",
        "rows read": "checked if of the selected state",
        "rows of other states": "left out",
        "rows of other averaging times": "left out",
        "rows without a value": "missing",
        "rows outside the period": "left out",
        **dict.fromkeys(REPEATS, "left out"),
        "same value in two files": "kept once",
        "sites dropped": "too few days",
    }
    return [
        *((item, tally[item], action) for item, action in actions.items()),
        ("sites without a position", len(lost), f"left out: {', '.join(lost) or 'none'}"),
        ("sites kept", len(field.site), f"value on at least {parameters.coverage:.0%} of days"),
        ("days", len(field.time), f"{field.time[0]} to {field.time[-1]}"),
        ("days without any value", span - len(field.time), "not a round of the study"),
        ("missing site-days", int(np.isnan(field.value).sum()), "arm not available that day"),
    ]
