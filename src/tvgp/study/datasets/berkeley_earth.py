"""Berkeley Earth gridded monthly temperature anomalies over the land cells of a region.

Reads the 1-degree `Land_and_Ocean_LatLong1.nc`, the High-Resolution gridded files and the
0.25-degree regional and decade files; several files on one grid are joined in time. Only the
window of the region and period is read, however large the file.

Time is a decimal year, year + (month - 0.5)/12, so month = floor(12 fraction) + 1 (rounding is
wrong for half of the months). Months in two files are kept once if they agree; otherwise they are
an error. Arms are the cells whose centre lies in the region, whose land share is
large enough and which have a value in enough of the months.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

from tvgp.study.data import raw_files, regions
from tvgp.study.data.field import Field
from tvgp.study.data.splits import period_bounds
from tvgp.study.datasets.standins import berkeley_earth as standin

PATTERNS = ("*.nc",)

FIRST_YEAR, LAST_YEAR = 1700, 2050  # later years are errors, not observations
MAX_ANOMALY = 60.0  # degree C; larger values are not anomalies of monthly means
MAX_AXIS = 100_000
MAX_VALUES = 30_000_000  # of one window, 240 MB
MAX_CHUNK_BYTES = 1 << 29  # a chunk is unpacked as a whole, however small the window
_DEGREE_C = re.compile(r"(°|deg(ree)?s?)?[ _]*c(elsius)?", re.IGNORECASE)


Region = str | Sequence[float]
Period = tuple[int, int]  # months since January 1970, both included


@dataclass(frozen=True)
class Parameters:
    """region: a name in `tvgp.study.data.regions` or a box [west, south, east, north] in degrees;
    land_fraction: least share of land of a cell, 0 for sea cells as well; period: [first, last]
    month, None for all months; coverage: least fraction of months with a value."""

    region: Region = "metropolitan_france"
    land_fraction: float = 0.5
    period: Sequence[str] | None = None
    coverage: float = 1.0
    standin_seed: int = 1951


@dataclass(frozen=True)
class _Window:
    """The region's part of one file: months since 1970 (times,), temperature (times, lat, lon),
    land share (lat, lon) or None, cell centres with longitudes in -180..180."""

    path: Path
    months: np.ndarray
    temperature: np.ndarray
    land: np.ndarray | None
    lat: np.ndarray
    lon: np.ndarray
    outside: int
    is_standin: bool
    span: tuple[int, int]


def write_standin(folder: Path, parameters: Parameters) -> list[Path]:
    """Write a stand-in 1-degree file into a folder."""
    return [standin.write(folder, parameters.standin_seed)]


def load(files: Sequence[Path], parameters: Parameters) -> tuple[Field, list[tuple[str, int, str]]]:
    """Convert raw files to a monthly field in degree C, with its quality table.

    ValueError, naming file and variable, for an invalid file; naming the selection if no month or
    no cell is left.
    """
    for name in ("land_fraction", "coverage"):
        value = getattr(parameters, name)
        if not 0 <= value <= 1:
            raise ValueError(f"berkeley_earth: {name} is {value}, must lie in [0, 1]")
    regions.bounds(parameters.region, "berkeley_earth")
    period = _months(parameters.period) if parameters.period is not None else None
    windows = [_read(path, parameters.region, period) for path in files]
    months, temperature, repeats = _join(windows)
    if period is not None and (not len(months) or (months[0], months[-1]) != period):
        names = ", ".join(sorted(window.path.name for window in windows))
        span = " to ".join(_month(f(f(w.span) for w in windows)) for f in (min, max))
        raise ValueError(
            f"berkeley_earth: period {_month(period[0])} to {_month(period[1])} is configured, but"
            f" {names} covers {span}; change `period`"
        )
    time = np.arange(months[0], months[-1] + 1).astype("datetime64[M]")
    value = np.full((len(time), *temperature.shape[1:]), np.nan)
    value[months - months[0]] = temperature
    field, counts = _cells(time, value, windows, parameters)
    field.attrs["source"] = "standin" if any(w.is_standin for w in windows) else "real"
    return field, [
        ("raw files", len(windows), "only the window of the region"),
        ("months", len(field.time), f"{time[0]} to {time[-1]}"),
        ("months without any value", len(time) - len(field.time), "not a round of the study"),
        ("months in two files", repeats, "equal values, kept once"),
        ("values outside the file's valid range", sum(w.outside for w in windows), "missing"),
        ("cells in the region", counts["region"], "centre inside the region's outline"),
        ("sea cells", counts["sea"], f"land share below {parameters.land_fraction:g}"),
        ("cells dropped", counts["sparse"], "too few months"),
        ("cells kept", len(field.site), f"value in at least {parameters.coverage:.0%} of months"),
        ("missing cell-months", int(np.isnan(field.value).sum()), "arm not available that month"),
    ]


def months_of(decimal_years: np.ndarray, where: str) -> np.ndarray:
    """Months since January 1970, (times,), from mid-month decimal years year + (month - 0.5)/12.

    ValueError, naming `where`, for times that are not finite, out of range, near the boundary of
    two months, or not strictly increasing.
    """
    years = np.asarray(decimal_years, dtype=float)
    for index in np.flatnonzero(~np.isfinite(years))[:1]:
        raise ValueError(f"{where}: time[{index}] is not a number")
    for index in np.flatnonzero((years < FIRST_YEAR) | (years >= LAST_YEAR))[:1]:
        raise ValueError(
            f"{where}: time[{index}] = {years[index]:g} is not a year in"
            f" {FIRST_YEAR}-{LAST_YEAR} (time must be decimal years)"
        )
    whole = np.floor(years)
    twelfths = (years - whole) * 12
    month = np.floor(twelfths).astype(int)
    for index in np.flatnonzero(np.abs(twelfths - month - 0.5) > 0.4)[:1]:
        raise ValueError(
            f"{where}: time[{index}] = {years[index]:.4f} lies on the boundary of two months;"
            " expected year + (month - 0.5)/12"
        )
    result = (whole.astype(int) - 1970) * 12 + month
    steps = np.diff(result)
    for index in np.flatnonzero(steps <= 0)[:1]:
        what = "occurs twice" if steps[index] == 0 else "is out of order"
        raise ValueError(f"{where}: time[{index + 1}], {_month(result[index + 1])}, {what}")
    return result


def _months(period: Sequence[str]) -> Period:
    """Months since January 1970 of a [first, last] pair of dates."""
    first, last = period_bounds(period, "berkeley_earth period")
    return int(first.astype("datetime64[M]").astype(int)), int(last.astype("datetime64[M]").astype(int))


def _month(number: int) -> str:
    return str(np.datetime64(int(number), "M"))


def _read(path: Path, region: Region, period: Period | None) -> _Window:
    """The region's window of one file; HDF5 errors become one line."""
    raw_files.check(path)
    try:
        with netCDF4.Dataset(path) as file:
            file.set_auto_maskandscale(False)
            return _window(file, path, region, period)
    except (OSError, RuntimeError) as error:
        raise ValueError(f"{path}: damaged or truncated NetCDF file ({error})") from None


def _window(file: netCDF4.Dataset, path: Path, region: Region, period: Period | None) -> _Window:
    for name in ("temperature", "time", "latitude", "longitude"):
        if name not in file.variables:
            has = ", ".join(sorted(file.variables)) or "none"
            raise ValueError(f"{path}: no variable {name!r}; it has: {has}")
    temperature = file["temperature"]
    if temperature.dimensions != ("time", "latitude", "longitude"):
        raise ValueError(
            f"{path}: temperature has dimensions ({', '.join(temperature.dimensions)}),"
            " expected (time, latitude, longitude)"
        )
    units = str(getattr(temperature, "units", "degree C")).strip()
    if not _DEGREE_C.fullmatch(units):
        raise ValueError(f"{path}: temperature has units {units!r}, expected degree C")
    for name in ("temperature", "time", "latitude", "longitude"):
        if getattr(file[name].dtype, "kind", "text") != "f":
            raise ValueError(f"{path}: {name} does not hold real numbers")
        if name != "temperature" and not 0 < file[name].size <= MAX_AXIS:
            raise ValueError(f"{path}: {name} has {file[name].size} entries")
    chunks = temperature.chunking()
    if chunks not in (None, "contiguous") and 4 * math.prod(chunks) > MAX_CHUNK_BYTES:
        raise ValueError(
            f"{path}: temperature has chunks of {chunks}; at most {MAX_CHUNK_BYTES} bytes are supported"
        )
    lat = _axis(file["latitude"], 90.0, path)
    along = _axis(file["longitude"], 360.0, path)
    if min(len(lat), len(along)) > 1:
        high, wide = (float(np.median(np.abs(np.diff(axis)))) for axis in (lat, along))
        if abs(high - wide) > 0.05 * high:  # as of an axis in radians
            raise ValueError(
                f"{path}: cells of {high:g} degrees of latitude by {wide:g} of longitude, expected the same"
            )
    lon = (along + 180.0) % 360.0 - 180.0
    west, south, east, north = regions.bounds(region)
    rows = np.flatnonzero((lat >= south) & (lat <= north))
    columns = np.flatnonzero((lon >= west) & (lon <= east))
    rows, columns = rows[np.argsort(lat[rows])], columns[np.argsort(lon[columns])]
    if not len(rows) or not len(columns):
        raise ValueError(
            f"{path}: no cell in the region {region!r}; it covers latitudes {lat.min():g} to"
            f" {lat.max():g} and longitudes {lon.min():g} to {lon.max():g}"
        )
    months = months_of(_scaled(file["time"][:], file["time"], f"{path}: time"), str(path))
    first, last = period or (int(months[0]), int(months[-1]))
    start, stop = np.searchsorted(months, [first, last + 1])
    if (stop - start) * len(rows) * len(columns) > MAX_VALUES:
        raise ValueError(f"{path}: the region and period hold more than {MAX_VALUES} values")
    values = _block(temperature, slice(int(start), int(stop)), rows, columns).astype(float)
    values, outside = _cleaned(values, temperature, f"{path}: temperature", months[start:stop])
    land = None
    if "land_mask" in file.variables:
        mask = file["land_mask"]
        if mask.shape != (len(lat), len(lon)):
            raise ValueError(f"{path}: land_mask has shape {mask.shape}")
        land = _scaled(_block(mask, None, rows, columns), mask, f"{path}: land_mask")
        if np.any((land < 0) | (land > 1)):
            raise ValueError(f"{path}: land_mask has values outside 0..1")
    return _Window(
        path,
        months[start:stop],
        values,
        land,
        lat[rows],
        lon[columns],
        outside,
        standin.is_marked(file),
        (int(months[0]), int(months[-1])),
    )


def _axis(variable: netCDF4.Variable, limit: float, path: Path) -> np.ndarray:
    """Cell centres in equal steps, ascending or descending."""
    values = _scaled(variable[:], variable, f"{path}: {variable.name}")
    steps = np.diff(values)
    if values.ndim != 1 or not np.isfinite(values).all() or np.any(np.abs(values) > limit):
        raise ValueError(f"{path}: {variable.name} is not a list of degrees")
    if not (np.all(steps > 0) or np.all(steps < 0)):
        raise ValueError(f"{path}: {variable.name} is neither ascending nor descending")
    if np.any(np.abs(steps - np.median(steps)) > 0.05 * np.abs(np.median(steps))):
        raise ValueError(f"{path}: {variable.name} is not a list of equal steps")
    return values


def _block(
    variable: netCDF4.Variable, times: slice | None, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """variable[times, rows, columns] by slices: on a 0..360 grid Europe needs two."""
    head = () if times is None else (times,)
    low = slice(int(rows.min()), int(rows.max()) + 1)
    parts = []
    ordered = np.sort(columns)
    for run in np.split(ordered, np.flatnonzero(np.diff(ordered) > 1) + 1):
        window = (*head, low, slice(int(run[0]), int(run[-1]) + 1))
        parts.append(np.asarray(variable[window]))
    block = np.concatenate(parts, axis=-1)
    return block[..., rows - rows.min(), :][..., np.searchsorted(ordered, columns)]


def _cleaned(
    values: np.ndarray, variable: netCDF4.Variable, where: str, months: np.ndarray
) -> tuple[np.ndarray, int]:
    """Values with fill values and values outside the valid range as NaN; number of the latter."""
    for name in ("_FillValue", "missing_value"):
        # in the variable's precision: -999.9 as a double differs from -999.9 as a float
        with np.errstate(over="ignore"):
            numbers = _attribute(variable, name, where).astype(variable.dtype)
        values[np.isin(values, numbers)] = np.nan
    for t, _, _ in np.argwhere(np.isinf(values))[:1]:
        raise ValueError(f"{where}: infinite value in {_month(months[t])}")
    values[np.abs(values) > 9e36] = np.nan  # NetCDF's own fill value
    low = _single(variable, "valid_min", where, -np.inf)
    high = _single(variable, "valid_max", where, np.inf)
    outside = (values < low) | (values > high)
    values[outside] = np.nan
    values = _scaled(values, variable, where)
    for t, i, j in np.argwhere(np.abs(values) > MAX_ANOMALY)[:1]:
        raise ValueError(f"{where}: {values[t, i, j]:g} in {_month(months[t])} is not an anomaly in degree C")
    return values, int(outside.sum())


def _scaled(values: np.ndarray, variable: netCDF4.Variable, where: str) -> np.ndarray:
    """values scale_factor + add_offset, as float64 (CF conventions 1.11, section 8.1)."""
    scale = _single(variable, "scale_factor", where, 1.0)
    offset = _single(variable, "add_offset", where, 0.0)
    if not (math.isfinite(scale) and math.isfinite(offset)) or scale == 0:
        raise ValueError(f"{where} has scale_factor {scale:g} and add_offset {offset:g}")
    values = np.asarray(values, dtype=float)
    return values if (scale, offset) == (1.0, 0.0) else values * scale + offset


def _single(variable: netCDF4.Variable, name: str, where: str, default: float) -> float:
    numbers = _attribute(variable, name, where)
    if len(numbers) > 1:
        raise ValueError(f"{where} has {len(numbers)} values of {name}, expected one")
    return float(numbers[0]) if len(numbers) else default


def _attribute(variable: netCDF4.Variable, name: str, where: str) -> np.ndarray:
    """The numbers in an attribute, empty without it; also numbers written as text."""
    if name not in variable.ncattrs():
        return np.empty(0)
    value = variable.getncattr(name)
    try:
        return np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise ValueError(f"{where} has {name} {value!r}, expected a number") from None


def _join(windows: list[_Window]) -> tuple[np.ndarray, np.ndarray, int]:
    """Months (n,) in order, temperature (n, lat, lon) and the number of duplicate months."""
    first = windows[0]
    by_month: dict[int, tuple[np.ndarray, _Window]] = {}
    repeats = 0
    for window in windows:
        for ours, theirs in ((first.lat, window.lat), (first.lon, window.lon)):
            if ours.shape != theirs.shape or not np.allclose(ours, theirs, atol=1e-4):
                raise ValueError(f"{window.path}: not on the same grid as {first.path}; keep only one")
        for month, values in zip(window.months.tolist(), window.temperature, strict=True):
            if month not in by_month:
                by_month[month] = (values, window)
                continue
            repeats += 1
            if not np.allclose(by_month[month][0], values, atol=1e-5, equal_nan=True):
                raise ValueError(
                    f"{window.path}: {_month(month)} differs from {by_month[month][1].path}; keep only one"
                )
    months = sorted(by_month)
    return np.array(months, dtype=int), np.array([by_month[month][0] for month in months]), repeats


def _cells(
    time: np.ndarray, value: np.ndarray, windows: list[_Window], parameters: Parameters
) -> tuple[Field, dict[str, int]]:
    """The field of the selected cells, and the number of cells excluded, per reason."""
    lat, lon = np.meshgrid(windows[0].lat, windows[0].lon, indexing="ij")
    region = regions.inside(lon, lat, parameters.region)
    land = next((window.land for window in windows if window.land is not None), None)
    if land is None and parameters.land_fraction > 0:
        names = ", ".join(sorted(str(window.path) for window in windows))
        raise ValueError(f"{names}: no variable 'land_mask'; set land_fraction: 0 to include all cells")
    dry = region if land is None else region & (land >= parameters.land_fraction)
    full = np.isfinite(value).mean(axis=0) >= max(parameters.coverage, 1e-12)
    kept = dry & full
    if not kept.any():
        raise ValueError(
            f"berkeley_earth: no cell of {parameters.region!r} is left of {int(region.sum())} in"
            f" the region, {int(dry.sum())} of them land; {int(kept.sum())} have a value in"
            f" {parameters.coverage:.0%} of the months {time[0]} to {time[-1]}"
        )
    lat, lon = lat[kept], lon[kept]
    sites = [regions.place(*centre) for centre in zip(lat, lon, strict=True)]
    attrs = {
        "title": "Berkeley Earth monthly temperature anomalies",
        "units": "degree C",
        "long_name": "monthly temperature anomaly against 1951-1980",
        "frequency": "month",
        "licence": "CC BY-NC 4.0 (Berkeley Earth)",
        "citation": "Rohde, R. A. and Hausfather, Z. (2020). The Berkeley Earth Land/Ocean"
        " Temperature Record. Earth System Science Data 12, 3469-3479",
    }
    counts = {
        "region": int(region.sum()),
        "sea": int((region & ~dry).sum()),
        "sparse": int((dry & ~full).sum()),
    }
    reported = np.isfinite(value[:, kept]).any(axis=1)  # without values no arm can be chosen
    days = time[reported].astype("datetime64[D]")
    return Field(value[reported][:, kept], days, np.array(sites), lat, lon, attrs), counts
