"""Regions of the Earth: coarse outlines, and which points lie inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Ring = Sequence[tuple[float, float]]  # (longitude, latitude) of each corner

# Drawn by hand to about 0.15 degree.
# fmt: off
OUTLINES: dict[str, tuple[Ring, ...]] = {
    "metropolitan_france": (
        (
            (2.55, 51.09), (4.15, 49.98), (4.85, 50.15), (4.85, 49.80), (5.80, 49.55), (6.40, 49.47),
            (6.75, 49.17), (8.20, 48.97), (7.80, 48.50), (7.57, 47.60), (7.00, 47.45), (6.95, 47.25),
            (6.45, 46.75), (6.05, 46.40), (6.15, 46.15), (6.80, 46.42), (7.05, 45.92), (6.82, 45.70),
            (7.10, 45.35), (6.65, 45.05), (7.00, 44.70), (6.90, 44.30), (7.70, 44.10), (7.50, 43.75),
            (6.65, 43.15), (5.90, 43.05), (5.05, 43.35), (4.05, 43.55), (3.10, 43.10), (3.15, 42.45),
            (1.75, 42.45), (0.70, 42.80), (-0.55, 42.80), (-1.75, 43.30), (-1.45, 43.65), (-1.15, 44.65),
            (-1.05, 45.50), (-1.20, 46.15), (-2.10, 46.90), (-2.60, 47.35), (-4.30, 47.80), (-4.75, 48.10),
            (-4.75, 48.50), (-3.15, 48.85), (-1.50, 48.65), (-1.90, 49.70), (-1.25, 49.70), (-1.10, 49.35),
            (0.10, 49.40), (1.45, 50.10), (1.60, 50.85),
        ),
        (
            (9.40, 43.00), (9.55, 42.15), (9.25, 41.40), (8.60, 41.90), (8.60, 42.40), (9.30, 42.70),
        ),
    ),
}
# fmt: on


def place(lat: float, lon: float) -> str:
    """Name of a point by its position, such as "46.5N_2.5E"."""
    north, east = (f"{abs(angle):.6g}" for angle in (lat, lon))
    return f"{north}{'NS'[int(lat < 0)]}_{east}{'EW'[int(lon < 0)]}"


def inside(lon: np.ndarray, lat: np.ndarray, region: str | Sequence[float]) -> np.ndarray:
    """Mask of the points within a region, the shape of lon and lat (degrees, lon in -180..180).

    region: a name in OUTLINES, or a box [west, south, east, north], borders included. ValueError as of
    `bounds`.
    """
    lon, lat = np.broadcast_arrays(lon, lat)
    if isinstance(region, str) and region in OUTLINES:
        return within(lon, lat, OUTLINES[region])
    west, south, east, north = bounds(region)
    return (lon >= west) & (lon <= east) & (lat >= south) & (lat <= north)


def within(lon: np.ndarray, lat: np.ndarray, rings: Sequence[Ring]) -> np.ndarray:
    """Mask of the points inside at least one ring."""
    return np.logical_or.reduce([_in_polygon(lon, lat, ring) for ring in rings])


def bounds(region: str | Sequence[float], where: str = "regions") -> tuple[float, float, float, float]:
    """Western, southern, eastern and northern limit of a region, in degrees. ValueError, naming `where`,
    unless it is a name in OUTLINES or a box of four numbers in order."""
    if isinstance(region, str) and region in OUTLINES:
        corners = np.array([corner for ring in OUTLINES[region] for corner in ring])
        (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
        return west, south, east, north
    try:
        west, south, east, north = (float(number) for number in region)
        if -180 <= west < east <= 180 and -90 <= south < north <= 90:
            return west, south, east, north
    except (TypeError, ValueError):
        pass
    known = ", ".join(sorted(OUTLINES))
    box = "a box [west, south, east, north]"
    raise ValueError(f"{where}: region {region!r} is neither one of {known} nor {box}")


def _in_polygon(lon: np.ndarray, lat: np.ndarray, ring: Ring) -> np.ndarray:
    """Even-odd rule: a point is inside when a ray to the east crosses an odd number of edges."""
    result = np.zeros(lon.shape, dtype=bool)
    corners = np.array(ring)
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        spans = (y1 > lat) != (y2 > lat)
        if y1 != y2:
            result ^= spans & (lon < x1 + (lat - y1) * (x2 - x1) / (y2 - y1))
    return result
