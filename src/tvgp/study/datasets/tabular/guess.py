"""Guesses of a file's layout: columns, markers of missing values; of its times: see `guess_times`.

Every guess becomes a line of the user's configuration; for a file that can be read in two ways, an error asks
for the key that decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tvgp.study.data import raw_files
from tvgp.study.datasets.tabular import gridded, guess_times
from tvgp.study.datasets.tabular import header as header_of
from tvgp.study.datasets.tabular.notation import Notation, groups
from tvgp.study.datasets.tabular.readings import MARKERS, MISSING, Readings

ROWS = 200_000  # of a file that a guess reads
_TIME = "time date datetime date_time timestamp dt date_local datum day month year".split()
_SITE = (
    "site site_id station station_id sensor sensor_id aqs_site_id station_code id name city mote location"
).split()
_CODES = (("state_code",), ("county_code",), ("site_num", "site_number"))  # of AirData's daily files
_UNITS = ("units_of_measure", "units", "unit")  # column beside the values
_EPA = re.compile(r"daily (max|mean) .*concentration$", re.IGNORECASE)  # its value, among counts and indices
_UNIT = re.compile(r"\s*(\([^()\[\]]+\)|\[[^()\[\]]+\])$")  # (degC) after a name
_VALUE = ("value", "values", "reading", "measurement", "mean", "arithmetic_mean", "observation")
_OVER_SITES = re.compile("(mean|average|avg|median|min|minimum|max|maximum|sum|total|std|sd)", re.IGNORECASE)
_BESIDE_SITE = re.compile("(.+)[ _.-](flags?|qc|qa|quality|status|count|n|error|std|sd)", re.IGNORECASE)
_LATITUDE = ("latitude", "lat", "northing_deg", "site_latitude", "station_latitude")
_LONGITUDE = ("longitude", "lon", "lng", "long", "site_longitude", "station_longitude")
_DEGREES = re.compile(r" ?[(\[](decimal )?(°|deg|degrees?)?[ _]?([ne]|north|east)?[)\]]$")
_X, _Y = ("x", "easting", "utm_x"), ("y", "northing", "utm_y")


def values(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of the loader `table` that describe a file of values, other than `given`, which come first.

    ValueError, naming the key to give, where the file leaves it open.
    """
    raw_files.check(path)
    return _gridded(path, given) if gridded.is_gridded(path) else _csv(path, given)


def sites(path: Path, names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that describe a table of sites: the column whose cells are the sites' names, and positions."""
    raw_files.check(path)
    header, rows = _rows(path, header_of.delimiter(path))
    shares = [len({row[i].strip() for row in rows} & set(names)) for i in range(len(header))]
    best = int(np.argmax(shares)) if shares else 0
    chosen = given.get("site_id") or (header[best] if shares and shares[best] else None)
    if chosen is None:
        theirs = ", ".join(row[0] for row in rows[:3])
        raise ValueError(
            f"{path}: no column has the names of the sites in the values ({', '.join(names[:3])}; the table"
            f" has {theirs}); correct the names, or leave the table out"
        )
    found = {"site_id": chosen} | positions(header, given)
    if len(found) == 1:
        raise ValueError(
            f"{path}: no columns of positions among {', '.join(header)}; give --latitude and --longitude, or"
            " --x and --y"
        )
    return found


def unread(path: Path, own: Mapping[str, Any]) -> list[str]:
    """Columns of a long table that are not read although they vary within a site, such as flags or depths."""
    if own.get("layout") != "long":
        return []
    above, below = own.get("lines_above", 0), own.get("lines_below", 0)
    header, rows = _rows(path, own.get("delimiter") or header_of.delimiter(path, above), above)
    keys = [own.get("time", "time"), own.get("site", "site"), own.get("value", "value")]
    keys += [own[key] for key in ("latitude", "longitude", "x", "y") if key in own]
    time, site, *others = ([key] if isinstance(key, str) else key for key in keys)
    read = {*time, *site, *(name for names in others for name in names)}
    at = [header.index(name) for name in site]

    def count(columns: Sequence[int]) -> int:
        return len({tuple(row[i].strip() for i in columns) for row in rows[below:]})

    return [name for i, name in enumerate(header) if name not in read and count([*at, i]) > count(at)]


def positions(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, str]:
    """latitude and longitude, or x and y, among the columns; nothing where there are none."""
    for a, b, first, second in (("latitude", "longitude", _LATITUDE, _LONGITUDE), ("x", "y", _X, _Y)):
        pair = given.get(a) or _named(names, first), given.get(b) or _named(names, second)
        if all(pair):
            return {a: str(pair[0]), b: str(pair[1])}
    return {}


def markers(read: Readings) -> list[str]:
    """Numbers that mean no value: those of `MARKERS` that are far from all other values."""
    marked = read.marked()
    rest, present = read.value[~marked], np.unique(read.value[marked].astype(np.float32))
    if len(rest) < 2:
        return []
    far = np.ptp(rest)
    return [
        f"{marker:.10g}"
        for marker in MARKERS
        if np.float32(marker) in present and not rest.min() - far <= marker <= rest.max() + far
    ]


def _csv(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    above = given.get("lines_above", header_of.lines_above(path))
    delimiter = given.get("delimiter") or header_of.delimiter(path, above)
    header, rows = _rows(path, delimiter, above)
    if len(rows) < 2:
        raise ValueError(f"{path}: {len(rows)} lines of values; expected a header and one line per time")
    below = given.get("lines_below", int(_is_of_units(rows)))
    of_units, rows = rows[:below], rows[below:]
    where = f"{path}, line {above + below + 2}"
    wanted = given.get("time") or _time(header, rows, path)
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in header:
            raise ValueError(f"{path}, line {above + 1}: no column {name!r}; it has {', '.join(header[:12])}")
    at = [header.index(name) for name in names]
    texts = [" ".join(row[i].strip() for i in at) for row in rows]
    form = given["time_format"] if "time_format" in given else guess_times.time_format(texts, where)
    if (
        of_units
        and "lines_below" not in given
        and guess_times.fits(form, [" ".join(of_units[0][i].strip() for i in at)])
    ):
        raise ValueError(
            f"{path}, line {above + 2}: a time and no number; if it is not to be read give --lines-below 1,"
            " for texts that mean no value --missing and --lines-below 0"
        )
    rest = [i for i in range(len(header)) if i not in at]
    blank = {*MISSING, *given.get("missing", ())}
    cells = {i: [text for row in rows if (text := row[i].strip()) not in blank] for i in rest}
    decimal, thousands = _signs([text for i in rest for text in cells[i]], given)
    notation = Notation(decimal, thousands)
    numeric = [i for i in rest if _is_numeric(cells[i], notation)]
    counting = [i for i in rest if i == 0 or _named([header[i]], _SITE)]  # as an id of the lines does
    aside = [i for i in rest if header_of.is_no_site(header[i]) or i in counting and _counts(rows, i)]
    rest = [i for i in rest if i not in aside]
    codes = [name for wish in _CODES if (name := _named([header[i] for i in rest], wish))]
    codes = codes if len(codes) == len(_CODES) else []
    fractions = [i for i in numeric if _named([header[i]], _SITE) and not _are_whole(cells[i], notation)]
    site = given.get("site") or codes or _named([header[i] for i in rest if i not in fractions], _SITE)
    long = len(set(texts)) < len(texts) or bool(site) or "value" in given
    told = given.keys() & {"site", "value"} or codes or positions(header, given) or _named(header, _VALUE)
    if given.get("layout"):
        long = given["layout"] == "long"
    elif site and not told and set(rest) <= set(numeric) and 2 * len(set(texts)) > len(texts):
        raise ValueError(
            f"{path}: column {site!r} may hold the names of sites or, as most times are on one line, the"
            f" values of one; give --site {site} for one reading per line, else --layout wide"
        )
    found: dict[str, Any] = {"decimal": decimal, "time": wanted, "time_format": form}
    found |= {"thousands": thousands, "lines_above": above, "lines_below": below}
    units = [row[i].strip() for row in of_units for i in rest if row[i].strip()]
    if not long:
        derived = _derived(header)
        if len(set(rest) - derived) > 1:
            aside, rest = sorted({*aside, *derived.intersection(rest)}), [i for i in rest if i not in derived]
        words = [i for i in rest if i not in numeric]
        if words:
            odd = next(each for each in cells[words[0]] if not _is_numeric([each], notation))
            raise ValueError(
                f"{path}: {odd!r} in column {header[words[0]]!r} is not numeric; a wide table has a column of"
                " times and one per site; for one reading per line give --layout long, for texts that mean no"
                " value --missing, for other signs --decimal and --thousands"
            )
        if thousands is None:
            _refuse_doubtful({header[i]: cells[i] for i in rest}, given, delimiter, path)
        suffixes = {match[0] if (match := _UNIT.search(header[i])) else "" for i in rest}
        if "suffix" not in given and len(suffixes) == 1 and "" not in suffixes and len(rest) > 1:
            found["suffix"] = min(suffixes)
            units.append(found["suffix"].strip()[1:-1].strip())
        if len(set(units)) == 1 and "units" not in given:
            found["units"] = units[0]
        return found | {"layout": "wide"} | ({"exclude": [header[i] for i in aside]} if aside else {})
    place = positions(header, given)
    labels = [i for i in rest if header[i] not in place.values()]
    if site is None:
        texts_at = [i for i in labels if i not in numeric and 1 < len({row[i] for row in rows}) < len(rows)]
        site = header[texts_at[0]] if texts_at else None
    if site is None and len(numeric) == len(rest):  # a column per site, as it seems
        twice = next((text for k, text in enumerate(texts) if text in texts[:k]), None)
        if twice is None:
            raise ValueError(
                f"{path}: each time is on one line, as where each site has a column; give --layout wide, or"
                " --site for one reading per line"
            )
        raise ValueError(
            f"{path}: time {twice!r} is on two lines; correct it, or give --layout wide and"
            " --aggregate-repeats; for one reading per line give --site"
        )
    if site is None:
        raise ValueError(f"{path}: which of {', '.join(header)} is the site? give --site")
    left = [header[i] for i in numeric if i in labels and header[i] not in (site, *codes)]
    value = given.get("value") or _named(left, _VALUE) or (left[0] if len(left) == 1 else None)
    if value is None and len(measured := [name for name in left if _EPA.match(name)]) == 1:
        value = measured[0]
    if value is None:
        raise ValueError(f"{path}: which of {', '.join(left or header)} is the value? give --value")
    if thousands is None:
        _refuse_doubtful({header[i]: cells[i] for i in rest if header[i] == value}, given, delimiter, path)
    if "units" not in given:
        told = [row[header.index(value)].strip() for row in of_units]
        told += [match[0].strip()[1:-1].strip()] if (match := _UNIT.search(value)) else []
        if beside := _named(header, _UNITS):
            units = sorted({row[header.index(beside)].strip() for row in rows} - {""})
            if len(units) > 1:
                raise ValueError(
                    f"{path}: column {beside!r} has {' and '.join(units[:2])}; convert the values to one"
                    " unit, or keep the lines of one variable"
                )
            told += units
        found |= {"units": told[0]} if len(set(told)) == 1 and told[0] else {}
    return found | {"layout": "long", "site": site, "value": value} | place


def _gridded(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    with gridded.opened(path, decode_times=False) as data:
        time = given.get("time") or _named(list(map(str, data.dims)), _TIME)
        place = positions(list(map(str, data.variables)), given)
        named = {str(time), str(given.get("site", ""))}
        arrays = {
            str(name): gridded.squeezed(array, named, place.values(), data)
            for name, array in data.data_vars.items()
        }
        fields = [name for name, array in arrays.items() if time in array.dims and array.ndim in (2, 3)]
        value = given.get("value") or _named(fields, _VALUE) or (fields[0] if len(fields) == 1 else None)
        if time is None or value is None or value not in data:
            missing = "time" if time is None else "value"
            listed = ", ".join(fields or map(str, data.variables))
            raise ValueError(f"{path}: which of {listed} is the {missing}? give --{missing}")
        found = {"time": time, "value": value} | place
        rest = [str(dim) for dim in arrays[value].dims if dim != time]
        site = given.get("site") or (rest[0] if len(rest) == 1 else None)
        units = data[value].attrs.get("units")
        return found | ({"site": site} if site else {}) | ({"units": str(units)} if units else {})


def _rows(path: Path, delimiter: str, above: int = 0) -> tuple[list[str], list[list[str]]]:
    """Header and first rows of a CSV table."""
    if len(delimiter) != 1:
        raise ValueError(f"{path}: delimiter is {delimiter!r}, expected one character such as ; or a tab")
    with raw_files.tables(path) as tables:
        label, stream = tables[0]
        records = (cells for _, cells in raw_files.records(stream, label, delimiter, above))
        header = [name.strip() for name in next(records, [])]
        return header, list(islice(records, ROWS))


def _is_of_units(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has no number and no time, where the rows below have, but some text."""
    columns = [[row[i].strip() for row in rows] for i in range(len(rows[0]))]
    below = [[cell for cell in rest[:20] if cell] for _, *rest in columns]
    data = [bool(cells) and all(map(_is_datum, cells)) for cells in below]
    odd = [first for (first, *_), is_data in zip(columns, data, strict=True) if is_data]
    return len(odd) > 1 and any(odd) and not any(_is_datum(first) for first, *_ in columns)


def _is_datum(text: str) -> bool:
    """Whether a cell has a number or a time, or says that there is none."""
    return text in MISSING[1:] or re.match(r"[-+.]?[0-9]", text) is not None


def _signs(cells: Sequence[str], given: Mapping[str, Any]) -> tuple[str, str | None]:
    """The decimal sign and that between thousands, None where nothing shows that there is one: both in one
    number, two groups of three digits, or a sign that is no decimal one."""
    if "thousands" in given or "decimal" in given:
        return given.get("decimal", "."), given.get("thousands")
    numbers = {cell for cell in cells if re.fullmatch(r"[-+]?[0-9][0-9., '\u00a0\u202f]*", cell)}
    for sign in (",", ".", "'", "\u00a0", "\u202f", " "):
        for decimal in ".,":
            s, d = re.escape(sign), re.escape(decimal)
            group = rf"[-+]?[1-9]\d{{0,2}}(?:{s}\d{{3}})"
            shown = rf"{group}+{d}\d+|{group}{{2,}}" + (rf"|{group}+" if sign not in ".," else "")
            known = rf"[-+]?\d+(?:{d}\d*)?|{group}+(?:{d}\d*)?"
            if sign != decimal and any(re.fullmatch(shown, each) for each in numbers):
                if all(re.fullmatch(known, each) for each in numbers):
                    return decimal, sign
    return "," if any(re.fullmatch(r"[-+]?[\d.]*\d,\d+", cell) for cell in numbers) else ".", None


def _refuse_doubtful(
    cells: Mapping[str, Sequence[str]], given: Mapping[str, Any], delimiter: str, path: Path
) -> None:
    """ValueError for a column whose signs may stand between thousands as well as before fractions: all its
    numbers are below 1000 or in groups of three digits. Between commas, a point in all is one before
    fractions."""
    if "decimal" in given or "thousands" in given:
        return
    for column, texts in cells.items():
        whole = {text for text in texts if re.fullmatch(r"[-+]?\d{1,3}", text)}
        for sign, other in (",.", ".,"):
            grouped = {text for text in texts if groups(text, sign)}
            if grouped and set(texts) == grouped | whole and (whole or sign == "," or delimiter != ","):
                raise ValueError(
                    f"{path}: {min(grouped)!r} in column {column!r} may be in thousands or a fraction; give"
                    f" --thousands '{sign}' --decimal {other}, or --decimal '{sign}'"
                )


def _counts(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column holds the number of each line, from 0 or 1, in any order."""
    cells = {row[column].strip() for row in rows}
    return any(cells == {str(k) for k in range(first, first + len(rows))} for first in (0, 1))


def _derived(header: Sequence[str]) -> set[int]:
    """Columns of a wide table that are named after a statistic over its sites, or after what is told about
    the values of another column, such as `a_flag` beside `a`."""
    plain = [_UNIT.sub("", name) for name in header]
    known, beside = set(plain), [_BESIDE_SITE.fullmatch(name) for name in plain]
    return {
        i
        for i, (name, told) in enumerate(zip(plain, beside, strict=True))
        if _OVER_SITES.fullmatch(name) or told and told[1] in known
    }


def _is_numeric(cells: Sequence[str], notation: Notation) -> bool:
    """Whether nine in ten of the cells that have a value are numbers."""
    return sum(math.isfinite(notation.number(cell)) for cell in cells) >= 0.9 * len(cells)


def _are_whole(cells: Sequence[str], notation: Notation) -> bool:
    """Whether all numbers among the cells are whole, as those that name a site."""
    return all(number.is_integer() for cell in cells if math.isfinite(number := notation.number(cell)))


def _time(header: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> str | list[str]:
    """Column of times, or year, month, ... as columns of their own."""
    lower = [name.lower() for name in header]
    parts = [
        header[lower.index(name)] for name in ("year", "month", "day", "hour", "minute") if name in lower
    ]
    if len(parts) > 1 and parts[0].lower() == "year":
        return parts
    clock = _named(header, ("time",)), _named(header, ("date",))
    if all(clock) and re.match(r"\d{1,2}:", rows[0][header.index(str(clock[0]))].strip()):
        return [str(clock[1]), str(clock[0])]
    name = _named(header, _TIME)
    if name is not None:
        return name
    for column, name in enumerate(header):
        texts = [row[column] for row in rows[:50]]
        if guess_times.forms(texts) and not _is_numeric(texts, Notation()):
            return name
    raise ValueError(
        f"{path}: no column of times among {', '.join(header[:12])}; give --time (rows are times, not sites)"
    )


def _named(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The name that comes first in `wanted`, whatever its case, whether it has _, - or spaces, and with or
    without the unit of degrees north or east."""
    plain = {re.sub(r"[ -]+", "_", _DEGREES.sub("", name.strip().lower())): name for name in reversed(names)}
    return next((plain[name] for name in wanted if name in plain), None)
