"""Guesses of how files are to be read: columns of values and sites, markers of missing values.

Every guess becomes a line of the user's configuration; for a file that can be read in two ways, an error asks
for the key that decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tvgp.study.data import raw_files
from tvgp.study.datasets.tabular import gridded, guess_csv, guess_layout, names
from tvgp.study.datasets.tabular import header as header_of
from tvgp.study.datasets.tabular.readings import MARKERS, Readings

if TYPE_CHECKING:
    import xarray as xr


def values(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of the loader `table` that describe a file of values, other than `given`, which come first.

    ValueError, naming the key to give, where the file leaves it open.
    """
    raw_files.check(path)
    if gridded.is_gridded(path):
        return _gridded(path, given)
    return guess_layout.keys(guess_csv.read(path, given))


def sites(path: Path, wanted: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys that describe a table of sites: the column whose cells are the sites' names, and positions."""
    raw_files.check(path)
    header, rows = guess_csv.first_rows(path, header_of.delimiter(path))
    shares = [len({row[i].strip() for row in rows} & set(wanted)) for i in range(len(header))]
    best = int(np.argmax(shares)) if shares else 0
    chosen = given.get("site_id") or (header[best] if shares and shares[best] else None)
    if chosen is None:
        theirs = ", ".join(row[0] for row in rows[:3])
        raise ValueError(
            f"{path}: no column has the names of the sites in the values ({', '.join(wanted[:3])}; the table"
            f" has {theirs}); correct the names, or leave the table out"
        )
    if "site_id" not in given:
        _refuse_doubtful_names(path, header, rows, shares)
    found = {"site_id": chosen} | names.positions(header, given)
    if len(found) == 1:
        raise ValueError(
            f"{path}: no columns of positions among {', '.join(header)}; give --latitude and --longitude, or"
            " --x and --y"
        )
    return found


def _refuse_doubtful_names(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], shares: Sequence[int]
) -> None:
    """ValueError for two columns with names of many sites that are not the same on each line, such as
    stations' numbers and those of the lines."""
    cells = [[row[i].strip() for row in rows] for i in range(len(header))]
    best = int(np.argmax(shares))
    for i, share in enumerate(shares):
        if 2 * share >= shares[best] and cells[i] != cells[best]:
            raise ValueError(
                f"{path}: columns {header[min(i, best)]!r} and {header[max(i, best)]!r} both have names of"
                " sites in the values, on other lines; give --site-id"
            )


def unread(path: Path, own: Mapping[str, Any]) -> list[str]:
    """Columns of a long table that are not read although they vary within a site, such as flags or depths."""
    if own.get("layout") != "long":
        return []
    above, below = own.get("lines_above", 0), own.get("lines_below", 0)
    header, rows = guess_csv.first_rows(path, own.get("delimiter") or header_of.delimiter(path, above), above)
    keys = [own.get("time", "time"), own.get("site", "site"), own.get("value", "value")]
    keys += [own[key] for key in ("latitude", "longitude", "x", "y") if key in own]
    time, site, *others = ([key] if isinstance(key, str) else key for key in keys)
    read = {*time, *site, *(name for each in others for name in each)}
    at = [header.index(name) for name in site]

    def count(columns: Sequence[int]) -> int:
        return len({tuple(row[i].strip() for i in columns) for row in rows[below:]})

    return [name for i, name in enumerate(header) if name not in read and count([*at, i]) > count(at)]


def markers(read: Readings) -> list[str]:
    """Numbers that mean no value: those of `MARKERS` that are far from all other values."""
    marked = read.marked()
    rest, present = read.value[~marked], np.unique(read.value[marked].astype(np.float32))
    if len(rest) < 2:
        return []
    far = np.ptp(rest)
    return [
        repr(marker).removesuffix(".0")
        for marker in MARKERS
        if np.float32(marker) in present and not rest.min() - far <= marker <= rest.max() + far
    ]


def _gridded(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    with gridded.opened(path, decode_times=False) as data:
        time = given.get("time") or names.named(list(map(str, data.dims)), names.TIME)
        place = names.positions(list(map(str, data.variables)), given)
        named = {str(time), str(given.get("site", ""))}
        arrays = {
            str(name): gridded.squeezed(array, named, place.values(), data)
            for name, array in data.data_vars.items()
        }
        fields = [name for name, array in arrays.items() if time in array.dims and array.ndim in (2, 3)]
        value = (
            given.get("value")
            or names.named(fields, names.VALUE)
            or (fields[0] if len(fields) == 1 else None)
        )
        if time is None or value is None or value not in data:
            missing = "time" if time is None else "value"
            listed = ", ".join(fields or map(str, data.variables))
            raise ValueError(f"{path}: which of {listed} is the {missing}? give --{missing}")
        found = {"time": time, "value": value} | place
        rest = [str(dim) for dim in arrays[value].dims if dim != time]
        site = given.get("site") or (_naming(data, rest[0]) if len(rest) == 1 else None)
        units = data[value].attrs.get("units")
        return found | ({"site": site} if site else {}) | ({"units": str(units)} if units else {})


def _naming(data: xr.Dataset, dim: str) -> str:
    """What names the places along a dimension: itself, or, where it only counts them, a variable of texts, or
    of whole numbers that is called as one of sites."""
    if dim in data.variables and not np.array_equal(data[dim], np.arange(data.sizes[dim])):
        return dim
    along = [(str(name), array) for name, array in data.variables.items() if array.dims == (dim,)]
    apart = [(name, array) for name, array in along if len({*array.values}) == array.size]
    known = [name for name, array in apart if array.dtype.kind in "iu" and names.named([name], names.SITE)]
    texts = [name for name, array in apart if array.dtype.kind in "OSU"] + known
    told = (name for name in texts if data[name].attrs.get("cf_role") == "timeseries_id")
    return next(told, None) or names.named(texts, names.SITE) or next(iter(texts), dim)
