"""The canonical field: one value per time and site. Every dataset is converted to it."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tvgp.study.execution import files, netcdf

EARTH_RADIUS_KM = 6371.0088  # mean radius, IUGG
# coordinates of positions; others are x, y
_KINDS = {"degrees": ("km", "degrees", "index"), "none": ("index",)}
_RENAMED = {"coordinates": "kernel_coordinates"}  # CF gives the attribute `coordinates` another meaning
_EPOCH = np.datetime64("1970-01-01", "D")
_STEPS = {"D": "days", "m": "minutes", "s": "seconds"}
_UNITS = {"second": "s", "minute": "m", "hour": "h", "day": "D", "week": "W", "month": "M", "year": "Y"}


@dataclass(frozen=True)
class Field:
    """value: (times, sites) float64, NaN where missing; time: (times,) datetime64[D], or [m]
    or [s] within days, strictly increasing; site: (sites,) ids; lat, lon: (sites,) degrees north and
    east, metres (y, x) where attrs["positions"] is "metres", y and x in any unit where it is "xy", all NaN
    without positions.

    attrs: units, long_name, source ("real" or "standin"), title, licence, citation, ... as text.
    ValueError if the parts are inconsistent.
    """

    value: np.ndarray
    time: np.ndarray
    site: np.ndarray
    lat: np.ndarray
    lon: np.ndarray
    attrs: dict[str, str]

    def __post_init__(self) -> None:
        shape = (len(self.time), len(self.site))
        if self.value.shape != shape or not len(self.lat) == len(self.lon) == shape[1]:
            raise ValueError(
                f"field: values have shape {self.value.shape}, expected (times, sites) = {shape}"
            )
        if np.any(np.diff(self.time) <= np.timedelta64(0, "D")):
            raise ValueError("field: times must increase strictly")
        if len(set(self.site.tolist())) != shape[1]:
            raise ValueError("field: duplicate site id")
        positions = np.array([self.lat, self.lon], dtype=float)
        known = np.isfinite(positions).all() or np.isnan(positions).all()
        if np.isinf(self.value).any() or not known:
            raise ValueError("field: infinite value, or a position that is not a number")

    def during(self, rows: slice | np.ndarray) -> Field:
        """The part of the field with these time indices."""
        return Field(self.value[rows], self.time[rows], self.site, self.lat, self.lon, dict(self.attrs))

    def at(self, sites: slice | np.ndarray) -> Field:
        """The part of the field with these sites."""
        where = self.site[sites], self.lat[sites], self.lon[sites]
        return Field(self.value[:, sites], self.time, *where, dict(self.attrs))

    def placed(self, kind: str | None) -> Field:
        """The field with other `coordinates` of its sites, its own for None. ValueError for a kind that its
        positions do not allow."""
        if kind is None:
            return self
        positions = self.attrs.get("positions", "degrees")
        if kind not in _KINDS.get(positions, ("xy", "index")):
            raise ValueError(
                f"coordinates is {kind}, but the sites' positions are {positions}; expected km or degrees for"
                " latitude and longitude, xy for x and y, index for none"
            )
        return replace(self, attrs=self.attrs | {"coordinates": kind})


def elapsed(field: Field) -> np.ndarray:
    """t of each time, (times,): 1 for the first, then in whole steps of attrs["frequency"], such as
    "day", "month" or "30 minutes", so that a hole in the record counts by its length.

    ValueError for an unknown frequency, two times within one step, or a time between two steps.
    """
    text = field.attrs.get("frequency", "")
    found = re.match(r"(?:(\d+) )?(second|minute|hour|day|week|month|year)s?\b", text)
    if not found:
        raise ValueError(f"field: frequency is {text!r}, expected a step of time such as day or 30 minutes")
    count, unit = int(found[1] or 1), _UNITS[found[2]]
    if unit == "W":  # numpy's weeks start on Thursday
        count, unit = 7 * count, "D"
    time = field.time.astype(f"datetime64[{unit}]")
    steps = (time - time[0]).astype(int)
    if (steps % count).any() or (np.diff(steps) < 1).any():
        raise ValueError(f"field: its times are not one per step of its frequency, {text}")
    return 1 + steps // count


def coordinates(lat: np.ndarray, lon: np.ndarray, kind: str) -> np.ndarray:
    """Positions as (sites, 2) inputs for a kernel.

    "degrees": (lon, lat) unchanged; "xy": (x, y) unchanged, in the unit of the data. "km": local
    equirectangular projection about the mean position, x = R cos(lat0) (lon - lon0), y = R (lat - lat0),
    angles in radians, lon0 the circular mean and lon - lon0 within half a turn; distances are accurate to 1 %
    over a few hundred km (`projection_error`). "index": 0..sites-1 as
    (sites, 1), for a kernel given as a matrix over the sites. ValueError for any other kind.
    """
    if kind == "index":
        return np.arange(len(lat), dtype=float)[:, None]
    if kind in ("degrees", "xy"):
        return np.column_stack([lon, lat])
    if kind == "km":
        turn = np.exp(1j * np.radians(lon))
        lat0 = np.mean(lat)
        x = np.cos(np.radians(lat0)) * np.angle(turn * np.exp(-1j * np.angle(np.sum(turn))))
        return EARTH_RADIUS_KM * np.column_stack([x, np.radians(lat - lat0)])
    raise ValueError(f"coordinates: {kind!r} is not one of: km, degrees, xy, index")


def positions(field: Field) -> np.ndarray | None:
    """`coordinates` of a field's sites, None where it has no positions."""
    kind = field.attrs["coordinates"]
    return None if kind == "index" else coordinates(field.lat, field.lon, kind)


def spread(values: np.ndarray) -> float:
    """Standard deviation between sites within a time, averaged over the times with two values or more.

    values: (times, sites), with at least one such time."""
    several = values[np.isfinite(values).sum(axis=1) > 1]
    return float(np.nanstd(several, axis=1).mean())


def projection_error(lat: np.ndarray, lon: np.ndarray) -> float:
    """Largest relative error of the distances between sites in `coordinates` "km", against great circles."""
    from scipy.spatial.distance import pdist  # slow to import

    phi, theta = np.radians(lat), np.radians(lon)
    ball = np.column_stack([np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)])
    sphere = 2 * EARTH_RADIUS_KM * np.arcsin(np.minimum(pdist(ball) / 2, 1.0))
    flat = pdist(coordinates(lat, lon, "km"))
    apart = sphere > 0
    return float(np.abs(flat[apart] / sphere[apart] - 1).max(initial=0.0))


def write_field(path: str | Path, field: Field) -> None:
    """Write a field as NetCDF-4 (CF time and units); the same field gives the same bytes."""
    with netcdf.writing(path) as file:
        file.createDimension("time", len(field.time))
        file.createDimension("site", len(field.site))
        unit = np.datetime_data(field.time.dtype)[0]
        step, size = unit if unit in _STEPS else "D", "i8" if unit == "s" else "i4"
        time = file.createVariable("time", size, ("time",), **netcdf.CHECKSUM)
        time.setncatts({"units": f"{_STEPS[step]} since 1970-01-01", "calendar": "standard"})
        time[:] = (field.time.astype(f"datetime64[{step}]") - _EPOCH).astype(size)
        site = file.createVariable("site", str, ("site",))
        site[:] = np.array([str(s) for s in field.site], dtype=object)
        plane = {"metres": "m", "xy": "1"}.get(field.attrs.get("positions", ""))
        for name, values, units in (
            ("lat", field.lat, plane or "degrees_north"),
            ("lon", field.lon, plane or "degrees_east"),
        ):
            variable = file.createVariable(name, "f8", ("site",), **netcdf.CHECKSUM)
            variable.units = units
            variable[:] = values
        value = file.createVariable("value", "f8", ("time", "site"), fill_value=np.nan, **netcdf.CHECKSUM)
        value.setncatts({k: field.attrs[k] for k in ("units", "long_name") if k in field.attrs})
        value.coordinates = "lat lon"
        value[:] = field.value
        file.setncatts({_RENAMED.get(k, k): str(text) for k, text in sorted(field.attrs.items())})


def read_field(path: str | Path) -> Field:
    """Read a field that `write_field` wrote. ValueError for any other file."""
    with netcdf.reading(path) as file:
        words = file["time"].units.split()[0]
        step = next((unit for unit, word in _STEPS.items() if word == words), "D")
        time = _EPOCH + file["time"][:].astype(f"timedelta64[{step}]")
        site = np.array([str(s) for s in file["site"][:]])
        lat, lon, value = (np.asarray(file[name][:]) for name in ("lat", "lon", "value"))
        plain = {stored: name for name, stored in _RENAMED.items()}
        attrs = {plain.get(key, key): str(file.getncattr(key)) for key in file.ncattrs()}
    return Field(value, time, site, lat, lon, attrs)


def write_quality(path: str | Path, rows: list[tuple[str, int, str]]) -> None:
    """Write the data-quality table: item, count, action."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerows([("item", "count", "what was done"), *rows])
    files.write_text(path, text.getvalue())
