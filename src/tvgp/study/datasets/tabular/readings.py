"""Readings in CSV, NetCDF and Zarr files, as one list of (time, site, value)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from tvgp.study.data import cells, csv_tables, raw_files
from tvgp.study.datasets.tabular import gridded, header, times, transposed
from tvgp.study.datasets.tabular.notation import Notation, has_signs
from tvgp.study.datasets.tabular.positions import Position, coordinate

MAX_VALUES = 30_000_000  # 240 MB
_ROUNDING = np.timedelta64(1, "ms")  # of times in fractions of a day, before they are cut to seconds
MISSING = (
    *("", "NA", "N/A", "NaN", "NAN", "nan", "NULL", "null", "None", "none", "-", "--", ".", "?"),
    *("unavailable", "unknown"),
    *("..", ":"),  # of the World Bank and of Eurostat
)
MARKERS = (  # numbers that often mean no value
    *(-99.0, -99.9, -99.99, -999.0, -999.9, -999.99, -9999.0, -9999.9, -9999.99, -99999.0),
    *(-6999.0, -8888.0),
    *(999.0, 999.9, 999.99, 9999.0, 9999.9, 9999.99, 99999.0),
    *(-32767.0, -32768.0, -2147483647.0, 1e20, 1e30),
    *(9.96921e36, 9.969209968386869e36),  # NetCDF's
)


@dataclass(frozen=True)
class Format:
    """How values are written: columns or variables by name. time, site: one column, or several that are
    joined by spaces, of sites by - but for empty ones; missing: texts and numbers that mean no value, besides
    those in MISSING; position: the columns of two coordinates, in the order north, east or y, x, None for
    none; degrees: whether these are angles; exclude: columns of a wide table that are not read; suffix: in
    its header, after the sites' names; lines_above, lines_below: the header, not read."""

    layout: str | None
    time: Sequence[str]
    site: list[str]
    value: str
    time_format: str | None
    time_zone: str | None
    delimiter: str | None
    notation: Notation
    missing: Sequence[str]
    position: tuple[str, str] | None
    degrees: bool
    exclude: Sequence[str]
    lines_above: int
    lines_below: int
    suffix: str | None

    @property
    def plan(self) -> Notation | None:
        """How coordinates are written, None for degrees."""
        return None if self.degrees else self.notation


@dataclass
class Readings:
    """time (n,) datetime64[s], site (n,) index into `sites`, value (n,) finite; line (n,) and file (n,) say
    where each was read; positions: of the sites, as far as the files of values tell them."""

    time: np.ndarray
    site: np.ndarray
    value: np.ndarray
    file: np.ndarray
    line: np.ndarray
    sites: list[str]
    files: list[str]
    positions: dict[str, Position] = field(default_factory=dict)

    def where(self, row: int) -> str:
        """File and line of a reading."""
        line = f", line {self.line[row]}" if self.line[row] else ""
        return self.files[self.file[row]] + line

    def marked(self) -> np.ndarray:
        """(n,) whether each value is one of MARKERS, in single precision."""
        return np.isin(self.value.astype(np.float32), np.array(MARKERS, dtype=np.float32))

    def kept(self, rows: np.ndarray) -> Readings:
        """The readings at these rows."""
        own = {name: getattr(self, name)[rows] for name in ("time", "site", "value", "file", "line")}
        return replace(self, **own)


class _List:
    """Readings while they are collected."""

    def __init__(self, files: list[str]) -> None:
        self.files, self.sites = files, dict[str, int]()
        self.positions: dict[str, Position] = {}
        self._parts: list[tuple[np.ndarray, ...]] = []
        self._count = 0

    def site(self, name: str) -> int:
        return self.sites.setdefault(name, len(self.sites))

    def add(self, value: np.ndarray, time: Any, site: Any, line: Any, file: int) -> None:
        """Append values (rows, columns), NaN for none; time, site and line in shapes that broadcast."""
        some = np.isfinite(value)
        self._count += value.size
        if self._count > MAX_VALUES:
            raise ValueError(f"{self.files[file]}: more than {MAX_VALUES:,} values; split the file")
        columns = (np.broadcast_to(column, value.shape)[some] for column in (time, site, value, file, line))
        self._parts.append(tuple(columns))

    def done(self) -> Readings:
        """All readings. ValueError if there are none."""
        parts = [np.concatenate(part) for part in zip(*self._parts, strict=True)]
        if not parts or not len(parts[0]):
            names = ", ".join(self.files)
            raise ValueError(f"{names}: no value; check `value`, `missing` and `delimiter`")
        time, site, value, file, line = parts
        return Readings(time, site, value, file, line, list(self.sites), self.files, self.positions)


def read(paths: Sequence[Path], form: Format, tally: Counter) -> Readings:
    """The readings in CSV tables (.csv, or several in a .zip), NetCDF (.nc) and Zarr files
    (.zarr.zip).

    ValueError, naming file and line, for whatever is not as `form` says; for files without any value.
    """
    found = _List([str(path) for path in paths])
    missing = {form.notation.number(text) for text in form.missing} - {math.nan}
    parse = times.parser(form.time_format, tally, form.time_zone)
    for number, path in enumerate(paths):
        raw_files.check(path)
        if gridded.is_gridded(path):
            _read_gridded(path, number, form, missing, found, tally)
            continue
        own = replace(form, delimiter=form.delimiter or header.delimiter(path, form.lines_above))
        with csv_tables.tables(path) as tables:
            for label, stream in tables:
                _read_csv(stream, label, number, own, parse, missing, found, tally)
    done = found.done()
    return replace(done, time=times.as_days(done.time)) if form.time_zone else done


def is_long(names: Collection[str], form: Format) -> bool:
    """Whether a table with these columns has one reading per line."""
    if form.layout is not None:
        return form.layout != "wide"
    return {*form.site, form.value} <= set(names)


def _read_csv(
    stream: TextIO,
    label: str,
    number: int,
    form: Format,
    parse: times.Parse,
    missing: set[float],
    found: _List,
    tally: Counter,
) -> None:
    notes: list[int] = []
    records = csv_tables.records(stream, label, form.delimiter or ",", form.lines_above, notes)
    line, names = next(records, (1, [""]))
    names, top = [name.strip() for name in names], f"{label}, line {line}"
    records = islice(records, form.lines_below, None)
    if form.layout == transposed.LAYOUT:
        names, records = transposed.as_long(names, records, top)
    long = is_long(names, form)
    wanted = [*form.time, *([*form.site, form.value, *(form.position or ())] if long else ())]
    index = header.columns(names, wanted, top)
    sites = {} if long else _wide_sites(names, set(index.values()), form, top, found)
    for text in cells.pieces(records, names):
        time = parse(
            [*map(" ".join, zip(*(text[name] for name in form.time), strict=True))],
            partial(cells.where, text, label),
        )
        value = _values(text[[form.value] if long else list(sites)], label, form, missing, tally)
        site: Any = list(sites.values())
        if long:
            parts = text[form.site].to_numpy()
            own = pd.Series(["-".join(filter(None, row)) for row in parts], index=text.index)
            for row in np.flatnonzero(own == "")[:1]:
                where, named = cells.where(text, label, row), " ".join(map(repr, form.site))
                raise ValueError(
                    f"{where}: column {named} is empty; expected the name of a site; `site` may be another"
                    " column, or several"
                )
            site = cells.each(own.to_frame(), found.site, int)
            _place(text, own, label, form, found.positions)
        found.add(value, time[:, None], site, text.index.to_numpy()[:, None], number)
    tally["lines of notes"] += len(notes)


def _values(text: pd.DataFrame, label: str, form: Format, missing: set[float], tally: Counter) -> np.ndarray:
    """The number in each cell, NaN for a missing value. ValueError for any other text."""
    none = {*MISSING, *form.missing}

    def number(cell: str) -> float:
        value = math.nan if cell in none else form.notation.number(cell)
        if value in missing or cell in none:
            return math.nan
        return value if math.isfinite(value) else math.inf

    value = cells.each(text, number)
    for row, column in np.argwhere(np.isinf(value))[:1]:
        cell, name = str(text.iat[row, column]), text.columns[column]
        cure = "if it means that there is no value, add it to `missing`"
        if has_signs(cell):
            between = repr(form.notation.thousands) if form.notation.thousands else "none"
            cure = (
                f"the decimal sign is {form.notation.decimal!r} and that between thousands {between}; set"
                " `decimal` and `thousands`, and write all numbers alike"
            )
        where = cells.where(text, label, row)
        raise ValueError(f"{where}: {cell!r} in column {name!r} is not a number; {cure}")
    tally["values read"] += value.size
    tally["missing values"] += int(np.isnan(value).sum())
    return value


def _place(
    text: pd.DataFrame, sites: pd.Series, label: str, form: Format, positions: dict[str, Position]
) -> None:
    """Record the position of each site; rows of one site must agree."""
    if form.position is None:
        return
    placed = pd.concat([sites, text[list(form.position)]], axis=1).drop_duplicates()
    for line, name, *texts in placed.itertuples(name=None):
        where = f"{label}, line {line}"
        both = [coordinate(t, c, where, form.plan) for t, c in zip(texts, form.position, strict=True)]
        if name in positions and positions[name].values != tuple(both):
            raise ValueError(
                f"{where}: site {name!r} is at {', '.join(texts)}, before at"
                f" {', '.join(positions[name].texts)}; give a table of sites, or correct it"
            )
        positions[name] = Position((both[0], both[1]), texts)


def _wide_sites(
    names: Sequence[str], times_at: set[int], form: Format, where: str, found: _List
) -> dict[str, int]:
    """Number of the site in each column that holds one; where: file and line of the header."""
    suffix = form.suffix or ""
    rest = [name for i, name in enumerate(names) if i not in times_at]
    for name in rest:
        if name in form.exclude:
            found.site(name)  # known, without values
        elif header.is_no_site(name):
            raise ValueError(
                f"{where}: column {names.index(name) + 1} is named {name!r}, and a column of a wide"
                " table is a site; give it another name, or add this one to `exclude`"
            )
    kept = [name for name in rest if name not in form.exclude]
    if odd := [name for name in kept if not name.removesuffix(suffix) or not name.endswith(suffix)]:
        raise ValueError(f"{where}: column {odd[0]!r} does not end in {suffix!r} (`suffix`); see `exclude`")
    sites = {name: found.site(name.removesuffix(suffix).strip()) for name in kept}
    if not sites:
        raise ValueError(f"{where}: only columns of time; expected one more per site")
    if len(set(sites.values())) < len(sites):
        raise ValueError(f"{where}: two columns are of one site without {suffix!r} (`suffix`)")
    return sites


def _read_gridded(
    path: Path, number: int, form: Format, missing: set[float], found: _List, tally: Counter
) -> None:
    """A variable over time and one or two dimensions of sites."""
    name = " ".join(form.time)
    with gridded.opened(path) as data:
        if form.value not in data.data_vars:
            listed = ", ".join(map(str, data.data_vars)) or "none"
            raise ValueError(f"{path}: no variable {form.value!r}; it has {listed}")
        array = gridded.squeezed(data[form.value], (name, *form.site), form.position, data)
        if name not in array.dims or array.ndim not in (2, 3):
            dims = ", ".join(map(str, array.dims))
            raise ValueError(
                f"{path}: {form.value!r} has the dimensions {dims}; expected {name!r} and one or two more"
                " that are longer than 1"
            )
        if array.size > MAX_VALUES:
            raise ValueError(f"{path}: {array.size:,} values, more than {MAX_VALUES:,}")
        moments = data[name].values
        if not np.issubdtype(moments.dtype, np.datetime64) or np.isnat(moments).any():
            raise ValueError(f"{path}: {name!r} has no dates; expected units such as days since 2000-01-01")
        if array.dtype.kind not in "iuf":
            raise ValueError(
                f"{path}: {form.value!r} holds {array.dtype}, expected numbers; give another `value`"
            )
        rest = [dim for dim in array.dims if dim != name]
        array = array.transpose(name, *rest)
        values = _numbers(array, missing, tally).reshape(len(moments), -1)
        sites = _grid_sites(data, rest, form, path, found)
    if np.isinf(values).any():
        raise ValueError(f"{path}: {form.value!r} has an infinite value")
    tally["values read"] += values.size
    tally["missing values"] += int(np.isnan(values).sum())
    instants = (moments + _ROUNDING).astype("datetime64[s]")
    found.add(values, times.shifted(instants, form.time_zone)[:, None], sites, 0, number)


def _numbers(array: Any, missing: set[float], tally: Counter) -> np.ndarray:
    """The values as float64, NaN for none: markers, which are compared in the precision of the values, and
    values outside the valid range that the file states."""
    values = array.values
    tolerance = 4 * float(np.finfo(gridded.precision(array)).eps)
    none = np.isnan(values)
    for marker in missing:
        none |= np.isclose(values, marker, rtol=tolerance, atol=0)
    outside = ~none & ~gridded.is_valid(array, values)
    tally["values outside the file's valid range"] += int(outside.sum())
    return np.where(none | outside, np.nan, values.astype(float))


def _grid_sites(data, rest: list, form: Format, path: Path, found: _List) -> list[int]:
    """Index of each site, in the order of the values; records positions."""
    shape, site = [data.sizes[dim] for dim in rest], "-".join(form.site)
    if len(rest) == 1 and site in data.variables and data[site].dims == tuple(rest):
        texts = data[site].values
        names = [(text.decode() if isinstance(text, bytes) else str(text)).strip() for text in texts]
    else:
        labels = [data[d].values if d in data.variables else np.arange(data.sizes[d]) for d in rest]
        names = [" ".join(f"{labels[k][i]}" for k, i in enumerate(at)) for at in np.ndindex(*shape)]
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: variable {site!r} names two sites alike; give each its own name")
    if form.position is not None:
        both = []
        for column in form.position:
            if column not in data.variables or not set(data[column].dims) <= set(rest):
                raise ValueError(f"{path}: no variable {column!r} over {', '.join(map(str, rest))}")
            other = {dim: data.sizes[dim] for dim in rest if dim not in data[column].dims}
            whole = data[column].expand_dims(other).transpose(*rest)
            both.append(whole.values.astype(float).ravel())
        for site, north, east in zip(names, *both, strict=True):
            here = [
                coordinate(str(a), c, str(path), None)
                for a, c in zip((north, east), form.position, strict=True)
            ]
            found.positions[site] = Position((here[0], here[1]), [str(north), str(east)])
    return [found.site(site) for site in names]
