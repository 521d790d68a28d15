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

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from tvgp.study.data import cells, csv_tables, raw_files
from tvgp.study.data.field import Field
from tvgp.study.data.splits import period_bounds
from tvgp.study.datasets.standins import ozone as standin

PATTERNS = ("*.csv", "*.zip")

PPB = {"parts per million": 1000.0, "ppm": 1000.0, "parts per billion": 1.0, "ppb": 1.0}
MAX_PPB = 500.0  # far above any US site since 1980; larger values mean wrong units
MIN_PPB = 0.2  # AQS gives whole ppb; smaller values are ppm labelled ppb
FIRST_DAY, LAST_DAY = np.datetime64("1957-01-01"), np.datetime64("2050-12-31")  # AQS has no older data
UNKNOWN = "."  # a position that EPA does not know

AIRDATA = {
    "date": "date local",
    "value": "1st max value",
    "units": "units of measure",
    "POC": "poc",
    "parameter": "parameter code",
    "state": "state name",
    "latitude": "latitude",
    "longitude": "longitude",
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
    "POC": "poc",
    "parameter": "aqs parameter code",
    "state": "state",
    "latitude": "site latitude",
    "longitude": "site longitude",
}
SITE_IDS = ("aqs site id", "site id")
SITE_NAMES = ("local site name", "site name")

ABSENT = {"duration": "8-HR", "event": "", "source": "AQS", "standard": "", "name": ""}  # of some layouts
CODES = {"state code": 2, "county code": 3, "number": 4, "site id": 9, "POC": 1}  # digits
REPEATS = {  # by column of a row's rank; the lowest rank is kept
    "excluded": "repeats without exceptional events",
    "preliminary": "AirNow repeats of AQS values",
    "age": "repeats under an older standard",
    "POC": "repeats of a higher POC",
}


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
    tally: Counter[str] = Counter()
    states: set[str] = set()
    found = []
    for path in files:
        raw_files.check(path)
        with csv_tables.tables(path, errors="replace") as tables:
            found += [_read(stream, label, parameters.state, tally, states) for label, stream in tables]
    rows = pd.concat(found, ignore_index=True)
    names = ", ".join(sorted(Path(path).name for path in files))
    if rows.empty:
        seen = ", ".join(sorted(states)[:5]) or "no rows"
        raise ValueError(f"ozone: no value of state {parameters.state!r} in {names} ({seen})")
    standins = rows["name"].str.startswith(standin.MARK).any()
    inside = _in_period(rows, parameters.period, names)
    tally["rows outside the period"] = len(rows) - len(inside)
    inside, lost = _with_position(inside, names)
    field, tally["sites dropped"] = _grid(_one_per_site_day(inside, tally), parameters, names)
    field.attrs["source"] = "standin" if standins else "real"
    tally["raw files"] = len(files)
    return field, _quality(field, tally, lost, parameters)


def _read(stream: TextIO, label: str, state: str | None, tally: Counter, states: set[str]) -> pd.DataFrame:
    """The state's rows of one table, each checked."""
    records = csv_tables.records(stream, label)
    columns = _columns(next(records, (1, []))[1], label)
    chosen = state.strip().casefold() if state else None
    rows, lines = [], []
    for line, row in records:
        tally["rows read"] += 1
        states.add(row[columns["state"]])
        if chosen is None or row[columns["state"]].strip().casefold() == chosen:
            rows.append([row[index].strip() for index in columns.values()])
            lines.append(line)
        else:
            tally["rows of other states"] += 1
    table = pd.DataFrame(rows, columns=[*columns], index=lines, dtype=object)
    table = table.assign(**{role: text for role, text in ABSENT.items() if role not in columns})
    other = table["duration"].str[:4].str.upper() != "8-HR"
    empty = ~other & (table["value"] == "")
    tally["rows of other averaging times"] += int(other.sum())
    tally["rows without a value"] += int(empty.sum())
    return _checked(table[~(other | empty)], label)


def _columns(header: list[str], label: str) -> dict[str, int]:
    """Column index of each role, from a header in any of the known layouts."""
    names = [name.strip().casefold().replace("_", " ") for name in header]
    if "1st max value" in names or "date local" in names:
        layout = AIRDATA
    else:
        layout = {**DAILY, "site id": next((name for name in SITE_IDS if name in names), SITE_IDS[0])}
        if "source" in names:
            layout["source"] = "source"
        if site_name := next((name for name in SITE_NAMES if name in names), None):
            layout["name"] = site_name
    expected = f"EPA's daily ozone table with the columns {', '.join(map(repr, layout.values()))}"
    index = cells.columns(names, layout.values(), label, expected)
    return {role: index[name] for role, name in layout.items()}


def _checked(text: pd.DataFrame, label: str) -> pd.DataFrame:
    """Columns site, day, those of `REPEATS`, file, line, ppb, lat and lon (NaN if unknown) and name."""
    refuse = partial(cells.refuse, table=text, label=label)
    ozone = text["parameter"].str.lstrip("0").isin(("44201", "44201.0"))
    refuse(~ozone, fault="parameter code {parameter!r} is not ozone (44201)")
    factor = text["units"].str.casefold().map(PPB).to_numpy(float)
    refuse(np.isnan(factor), fault="units {units!r}, expected ppm or ppb")
    ppb = cells.numbers(text["value"]) * factor
    refuse(~np.isfinite(ppb), fault="the ozone value {value!r} is not a number")
    cure = "a daily maximum cannot be negative; delete the line if it is an instrument fault"
    refuse(ppb < 0, fault=f"negative ozone value {{value}}; {cure}")
    implausible = (ppb > MAX_PPB) | (0 < ppb) & (ppb < MIN_PPB)
    refuse(implausible, fault="ozone value {value} {units} is not plausible")
    codes = {}
    for role, width in CODES.items():
        if role in text:
            code = text[role].str.removesuffix(".0")
            wrong = ~code.str.fullmatch(rf"[0-9]{{1,{max(width, 3)}}}")
            refuse(wrong, fault=f"{role} {{{role}!r}} is not a code of {width} digits")
            codes[role] = code.str.zfill(width)
    poc = codes.pop("POC").astype(int)
    day = cells.each(text["date"], _day, "datetime64[D]")
    refuse(np.isnat(day), fault="date {date!r} is neither month/day/year nor year-month-day")
    elsewhen = (day < FIRST_DAY) | (day > LAST_DAY)
    refuse(elsewhen, fault=f"date {{date}} lies outside {FIRST_DAY} to {LAST_DAY}")
    unknown = (text[["latitude", "longitude"]] == UNKNOWN).any(axis=1)
    lat, lon = cells.numbers(text[["latitude", "longitude"]].mask(unknown, "")).T
    refuse(~(unknown | np.isfinite(lat)), fault="the latitude {latitude!r} is not a number")
    refuse(~(unknown | np.isfinite(lon)), fault="the longitude {longitude!r} is not a number")
    inside = (-15 <= lat) & (lat <= 72) & ((-180 <= lon) & (lon <= -60) | (140 <= lon) & (lon <= 180))
    place = "latitude {latitude}, longitude {longitude}"
    refuse(~(unknown | inside), fault=f"{place} is not in North America or a US territory")
    return pd.DataFrame(
        {
            "site": reduce(add, codes.values()),
            "day": day,
            "excluded": text["event"].str.casefold().isin(("excluded", "events excluded")),
            "preliminary": text["source"].str.casefold() == "airnow",
            "age": -cells.each(text["standard"], _year),
            "POC": poc,
            "file": label,
            "line": text.index,
            "ppb": np.array([round(value, 6) for value in ppb], dtype=float),
            "lat": lat,
            "lon": lon,
            "name": text["name"],
        }
    )


def _year(standard: str) -> int:
    """The newest year in the name of a standard, 0 for none."""
    return max(map(int, re.findall(r"\b(?:19|20)\d\d\b", standard)), default=0)


def _day(text: str) -> np.datetime64:
    """The day in one of two notations, NaT for any other text."""
    for form in ("%m/%d/%Y", "%Y-%m-%d"):
        try:
            return np.datetime64(datetime.strptime(text, form), "D")
        except ValueError:
            continue
    return np.datetime64("NaT")


def _in_period(rows: pd.DataFrame, period: Sequence[str] | None, names: str) -> pd.DataFrame:
    if period is None:
        return rows
    first, last = period_bounds(period, "ozone period")
    inside = rows[rows["day"].between(first, last)]
    if inside.empty:
        span = f"{rows['day'].min():%Y-%m-%d} to {rows['day'].max():%Y-%m-%d}"
        raise ValueError(f"ozone: no value between {first} and {last} in {names} (has {span})")
    return inside


def _with_position(rows: pd.DataFrame, names: str) -> tuple[pd.DataFrame, list[str]]:
    """The rows of sites with a known position, and the other sites by id and name."""
    known = rows["site"].isin(rows["site"][rows["lat"].notna()])
    if not known.any():
        raise ValueError(f"ozone: no site in {names} has a position")
    lost = rows[~known]
    return rows[known], sorted(set((lost["site"] + " " + lost["name"]).str.strip()))


def _one_per_site_day(rows: pd.DataFrame, tally: Counter) -> pd.DataFrame:
    """One row per site and day, by the order of preference in the module's docstring."""
    rows = rows.sort_values(["site", "day", *REPEATS, "file", "line"], ignore_index=True)
    before = rows.shift()
    again = (rows["site"] == before["site"]) & (rows["day"] == before["day"])
    same = again
    for column, item in REPEATS.items():
        tally[item] += int((same & (rows[column] != before[column])).sum())
        same = same & (rows[column] == before[column])
    contradict = same & ((rows["file"] == before["file"]) | (rows["ppb"] != before["ppb"]))
    for index in np.flatnonzero(contradict)[:1]:
        row, first = rows.loc[index], rows.loc[index - 1]
        raise ValueError(
            f"{row['file']}, line {row['line']}: site {row['site']} has a duplicate value for"
            f" {row['day']:%Y-%m-%d} from the same instrument; see {first['file']}, line {first['line']}"
        )
    tally["same value in two files"] += int(same.sum())
    return rows[~again]


def _grid(rows: pd.DataFrame, parameters: Parameters, names: str) -> tuple[Field, int]:
    """Daily field of the sites with enough values, and the number of other sites.

    Days without a value at any site are not on the time axis: no arm can be chosen.
    """
    value = rows.pivot(index="day", columns="site", values="ppb")
    share = value.notna().mean()
    kept = value.loc[:, value.notna().sum() >= parameters.coverage * len(value)].dropna(how="all")
    if kept.empty:
        span = f"{value.index[0]:%Y-%m-%d} to {value.index[-1]:%Y-%m-%d}"
        raise ValueError(
            f"ozone: none of {len(share)} sites in {names} has a value on {parameters.coverage:.0%} of"
            f" {len(value)} days ({span}), the best has {share.max():.1%}; lower `coverage` or set"
            " `period`"
        )
    # The most frequent position of a site's rows: exports round it differently.
    placed = rows.dropna(subset=["lat"]).groupby("site")
    places: dict[Any, tuple[float, float]] = {
        site: Counter(zip(own["lat"], own["lon"], strict=True)).most_common(1)[0][0] for site, own in placed
    }
    lat, lon = np.array([places[site] for site in kept]).T
    attrs = {
        "title": f"Daily maximum 8-hour ozone, {parameters.state or 'all states'}",
        "units": "ppb",
        "long_name": "daily maximum 8-hour mean ozone",
        "frequency": "day",
        "licence": "US EPA data, public domain in the USA",
        "citation": "US Environmental Protection Agency, Air Quality System, parameter 44201",
    }
    time, sites = kept.index.to_numpy("datetime64[D]"), kept.columns.to_numpy(str)
    return Field(kept.to_numpy(), time, sites, lat, lon, attrs), len(share) - len(sites)


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
        **dict.fromkeys(REPEATS.values(), "left out"),
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
