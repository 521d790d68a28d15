"""Stand-in for Berkeley Earth's 1-degree file: synthetic European temperatures, 1960-2025.

Anomaly of month t in cell s, in degree C:

    v = trend(t) + sd(month) (sqrt(.94) g(t, s) + sqrt(.06) e(t, s))

no trend until 1980 and 0.04 degrees per year from then on; g is Gaussian with squared-exponential
correlation of length 700 km and AR(1) in time, phi = .25; e is independent; sd is 2.2 in January
and 1.2 in July. The global grid, dimensions and attributes are those of the real file, but only
Europe is filled: elsewhere the file is NaN, and small. Its title and `standin` attribute mark it.
"""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np

from tvgp import streams
from tvgp.study.data import regions
from tvgp.study.execution import files

MARK = "STAND-IN"
FIRST_YEAR, LAST_YEAR = 1960, 2025
WINDOW = (-12.0, 38.0, 16.0, 56.0)  # west, south, east, north

# Very coarse coasts (longitude, latitude), for a plausible land share of each cell.
# fmt: off
_COASTS = (
    (
        (-1.8, 43.4), (-1.2, 44.6), (-1.1, 46.0), (-2.2, 47.1), (-4.7, 48.0), (-4.7, 48.6), (-1.5, 48.6),
        (-1.9, 49.7), (-1.2, 49.4), (0.2, 49.6), (1.6, 50.2), (1.7, 50.9), (4.0, 51.8), (5.0, 53.2),
        (8.5, 53.8), (8.3, 57.0), (17.0, 57.0), (17.0, 40.5), (15.8, 38.0), (14.0, 41.0), (11.0, 42.4),
        (10.0, 44.0), (8.8, 44.4), (7.5, 43.7), (5.9, 43.0), (4.0, 43.5), (3.1, 43.0), (3.2, 41.8),
        (0.6, 40.6), (-0.3, 39.0), (-0.7, 37.0), (-9.0, 37.0), (-9.3, 38.8), (-8.8, 43.2), (-5.0, 43.6),
    ),
    ((-5.6, 50.1), (1.4, 51.2), (1.7, 52.7), (-1.5, 55.2), (-5.0, 57.0), (-3.2, 53.4)),
    ((-10.0, 51.7), (-6.2, 52.3), (-5.8, 54.6), (-8.0, 57.0), (-10.0, 54.0)),
    ((9.4, 43.0), (9.5, 42.1), (9.2, 41.4), (8.6, 41.9), (8.6, 42.5)),
)
# fmt: on


def is_marked(file: netCDF4.Dataset) -> bool:
    """Whether an open file is marked as a stand-in."""
    return "standin" in file.ncattrs()


def write(folder: Path, seed: int) -> Path:
    """Write Land_and_Ocean_LatLong1.nc into a folder; the same seed gives the same bytes."""
    lat, lon = np.arange(-89.5, 90.0), np.arange(-179.5, 180.0)
    west, south, east, north = WINDOW
    rows = np.flatnonzero((lat > south) & (lat < north))
    columns = np.flatnonzero((lon > west) & (lon < east))
    months = np.arange((LAST_YEAR - FIRST_YEAR + 1) * 12)
    cells = np.stack(np.meshgrid(lat[rows], lon[columns], indexing="ij"), axis=-1)
    anomaly = _anomalies(months, cells.reshape(-1, 2), seed).astype(np.float32)
    anomaly = anomaly.reshape(len(months), len(rows), len(columns))
    land = np.zeros((len(lat), len(lon)))
    land[np.ix_(rows, columns)] = _land_share(lat[rows], lon[columns])
    path = Path(folder) / "Land_and_Ocean_LatLong1.nc"
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    with files.replacing(path) as temporary, netCDF4.Dataset(temporary, "w") as file:
        sizes = {"longitude": 360, "latitude": 180, "time": len(months), "month_number": 12}
        for name, size in sizes.items():
            file.createDimension(name, size)
        file.title = f"{MARK}: made-up temperatures in the format of Berkeley Earth"
        file.standin = f"not measurements; generated with seed {seed}"
        for name, units, values in (("longitude", "degrees_east", lon), ("latitude", "degrees_north", lat)):
            axis = file.createVariable(name, "f4", (name,))
            axis.setncatts({"units": units, "standard_name": name})
            axis[:] = values
        time = file.createVariable("time", "f8", ("time",))
        time.setncatts({"units": "year A.D.", "standard_name": "time"})
        time[:] = FIRST_YEAR + months // 12 + (months % 12 + 0.5) / 12
        mask = file.createVariable("land_mask", "f8", ("latitude", "longitude"), zlib=True)
        mask.setncatts({"units": "none", "long_name": "Land Mask"})
        mask[:] = land
        temperature = file.createVariable(
            "temperature",
            "f4",
            ("time", "latitude", "longitude"),
            zlib=True,
            complevel=1,
            shuffle=True,
            fill_value=np.float32(np.nan),
            chunksizes=(len(months), 6, 7),
        )
        temperature.setncatts(
            {
                "units": "degree C",
                "standard_name": "surface_temperature_anomaly",
                "long_name": "Air Surface Temperature Anomaly",
                "valid_min": anomaly.min(),
                "valid_max": anomaly.max(),
            }
        )
        temperature[(slice(None), *box)] = anomaly
        climatology = file.createVariable(
            "climatology",
            "f4",
            ("month_number", "latitude", "longitude"),
            zlib=True,
            fill_value=np.float32(np.nan),
            chunksizes=(12, 18, 28),
        )
        climatology.setncatts({"units": "degree C", "long_name": "Air Surface Temperature"})
        season = np.cos(2 * np.pi * (np.arange(12) - 6) / 12)[:, None, None]
        climatology[(slice(None), *box)] = 29 - 0.4 * lat[rows][None, :, None] + 8 * season
    return path


def _anomalies(months: np.ndarray, cells: np.ndarray, seed: int) -> np.ndarray:
    """(months, cells) anomalies; cells are (n, 2) latitudes and longitudes."""
    rng = streams.generator("berkeley_earth stand-in", seed)
    lat, lon = np.radians(cells).T
    angle = np.sin(lat)[:, None] * np.sin(lat) + np.cos(lat)[:, None] * np.cos(lat) * np.cos(
        lon[:, None] - lon
    )
    distance = 6371.0 * np.arccos(np.clip(angle, -1.0, 1.0))
    covariance = np.exp(-0.5 * (distance / 700.0) ** 2)
    root = np.linalg.cholesky(covariance + 1e-6 * np.eye(len(cells)))
    smooth = rng.standard_normal((len(months), len(cells))) @ root.T
    for t in range(1, len(months)):
        smooth[t] = 0.25 * smooth[t - 1] + np.sqrt(1 - 0.25**2) * smooth[t]
    rough = rng.standard_normal(smooth.shape)
    trend = 0.04 * np.maximum(months / 12 + FIRST_YEAR - 1980, 0.0)
    spread = 1.7 + 0.5 * np.cos(2 * np.pi * (months % 12) / 12)
    noise = np.sqrt(0.94) * smooth + np.sqrt(0.06) * rough
    return trend[:, None] + spread[:, None] * noise


def _land_share(lat: np.ndarray, lon: np.ndarray) -> np.ndarray:
    """Share of each 1-degree cell inside the coasts, from 10 x 10 points per cell."""
    offsets = (np.arange(10) + 0.5) / 10 - 0.5
    y, x = (lat[:, None] + offsets).ravel(), (lon[:, None] + offsets).ravel()
    points = regions.within(*np.meshgrid(x, y), _COASTS)
    return points.reshape(len(lat), 10, len(lon), 10).mean(axis=(1, 3))
