"""Stand-in for EPA's daily ozone: AirData files of a synthetic New York State.

Daily maximum 8-hour ozone at site s and day t, in ppb:

    v = season(t) + relief(s) + weekend(t) town(s) + g(t) a + h(t, s) + e(t, s)

a seasonal cycle with a late-spring peak, less ozone in towns (titration) but more of it there at
weekends, weather shared by the state (AR(1), phi = .65), weather correlated in space
(exponential, 250 km; AR(1), phi = .6) and instrument noise of 2.5 ppb. Sites are towns with
their rounded positions; every row carries the mark below as site name and method.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tvgp import streams
from tvgp.study.execution import files

MARK = "STAND-IN"
STATE = "New York"

HEADER = (
    "State Code,County Code,Site Num,Parameter Code,POC,Latitude,Longitude,Datum,Parameter Name,"
    "Sample Duration,Pollutant Standard,Date Local,Units of Measure,Event Type,Observation Count,"
    "Observation Percent,Arithmetic Mean,1st Max Value,1st Max Hour,AQI,Method Code,Method Name,"
    "Local Site Name,Address,State Name,County Name,City Name,CBSA Name,Date of Last Change"
).split(",")

Town = tuple[str, str, str, float, float, float, float]
# County code, county, town, latitude, longitude, how urban (0..1), height effect in ppb
TOWNS = (
    ("001", "Albany", "Albany", 42.65, -73.76, 0.5, 0.0),
    ("005", "Bronx", "Bronx North", 40.88, -73.87, 1.0, 0.0),
    ("005", "Bronx", "Bronx South", 40.82, -73.91, 1.0, 0.0),
    ("007", "Broome", "Binghamton", 42.10, -75.91, 0.3, 1.0),
    ("013", "Chautauqua", "Dunkirk", 42.48, -79.33, 0.1, 3.0),
    ("019", "Clinton", "Plattsburgh", 44.70, -73.45, 0.2, -1.0),
    ("027", "Dutchess", "Millbrook", 41.79, -73.69, 0.1, 1.0),
    ("029", "Erie", "Amherst", 42.98, -78.80, 0.5, 1.0),
    ("031", "Essex", "Wilmington", 44.39, -73.82, 0.0, 4.0),
    ("033", "Franklin", "Malone", 44.85, -74.29, 0.1, -1.0),
    ("041", "Hamilton", "Piseco", 43.45, -74.52, 0.0, 1.0),
    ("043", "Herkimer", "Nicks Lake", 43.69, -74.99, 0.0, 0.0),
    ("045", "Jefferson", "Watertown", 43.97, -75.91, 0.2, 2.0),
    ("055", "Monroe", "Rochester", 43.16, -77.61, 0.6, 0.0),
    ("059", "Nassau", "Hempstead", 40.71, -73.62, 0.7, 1.0),
    ("061", "New York", "Upper Manhattan", 40.82, -73.95, 1.0, -1.0),
    ("063", "Niagara", "Lockport", 43.17, -78.69, 0.2, 2.0),
    ("065", "Oneida", "Camden", 43.33, -75.75, 0.0, 0.0),
    ("067", "Onondaga", "Syracuse", 43.05, -76.15, 0.5, 0.0),
    ("071", "Orange", "Walden", 41.56, -74.19, 0.2, 1.0),
    ("075", "Oswego", "Fulton", 43.32, -76.42, 0.1, 2.0),
    ("079", "Putnam", "Mount Ninham", 41.46, -73.71, 0.1, 3.0),
    ("081", "Queens", "Flushing", 40.74, -73.82, 0.9, 0.0),
    ("085", "Richmond", "Staten Island", 40.58, -74.15, 0.8, 1.0),
    ("087", "Rockland", "Pomona", 41.18, -74.04, 0.3, 2.0),
    ("091", "Saratoga", "Stillwater", 43.01, -73.65, 0.1, 0.0),
    ("101", "Steuben", "Painted Post", 42.16, -77.09, 0.1, 1.0),
    ("103", "Suffolk", "Riverhead", 40.92, -72.66, 0.3, 2.0),
    ("103", "Suffolk", "Babylon", 40.70, -73.33, 0.5, 2.0),
    ("119", "Westchester", "White Plains", 41.03, -73.76, 0.7, 1.0),
)
NEIGHBOURS = (  # a second state, so that the choice of state matters
    ("003", "Bergen", "Leonia", 40.87, -73.99, 0.9, 0.0),
    ("021", "Mercer", "Rider", 40.28, -74.74, 0.4, 1.0),
)
SPARSE = (5, 17)  # towns with a summer campaign only
SECOND_MONITOR = (0, 18)  # towns with a second instrument, POC 2, on one day in six


def write(folder: Path, years: Sequence[int], seed: int) -> list[Path]:
    """Write daily_44201_<year>.zip for each year into a folder; the same seed gives the same bytes."""
    return [_write_year(folder, int(year), seed) for year in years]


def _write_year(folder: Path, year: int, seed: int) -> Path:
    towns = TOWNS + NEIGHBOURS
    days = np.arange(f"{year}-01-01", f"{year + 1}-01-01", dtype="datetime64[D]")
    rng = streams.generator("ozone stand-in", seed, year)
    ppb = _concentrations(towns, days, rng)
    text = io.StringIO()
    table = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    table.writerow(HEADER)
    for index, town in enumerate(towns):
        number = f"9{sum(other[0] == town[0] for other in towns[:index]) + 1:03d}"
        state = ("36", STATE) if index < len(TOWNS) else ("34", "New Jersey")
        for poc, day, value, event in _rows(index, days, ppb[:, index], rng):
            table.writerow(_line(town, number, state, poc, day, value, event))
    path = Path(folder) / f"daily_44201_{year}.zip"
    with files.replacing(path) as temporary:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = f"{MARK}: made-up data, seed {seed}; not measurements".encode()
            # dated 1980, so the bytes are always the same
            member = zipfile.ZipInfo(f"daily_44201_{year}.csv")
            archive.writestr(member, text.getvalue(), zipfile.ZIP_DEFLATED)
    return path


def _concentrations(towns: Sequence[Town], days: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(days, towns) ozone in ppb."""
    lat, lon, urban, height = (np.array([town[i] for town in towns]) for i in (3, 4, 5, 6))
    x = 111.2 * np.column_stack([lon * np.cos(np.radians(42.5)), lat])
    distance = np.linalg.norm(x[:, None] - x[None], axis=-1)
    root = np.linalg.cholesky(np.exp(-distance / 250.0) + 1e-9 * np.eye(len(towns)))
    n = len(days)
    doy = np.arange(n)
    summer = 0.5 - 0.5 * np.cos(2 * np.pi * (doy - 15) / 365.25)  # 0 mid-January, 1 mid-July
    spring = np.cos(2 * np.pi * (doy - 125) / 365.25)
    weather = _ar1(rng.standard_normal((n, 1)), 0.65)
    regional = _ar1(rng.standard_normal((n, len(towns))) @ root.T, 0.6)
    weekday = (days.astype(int) + 3) % 7  # 0 = Monday
    weekend = np.where(weekday >= 5, 3.0, 0.0) - np.where(weekday == 0, 1.0, 0.0)
    titration = urban[None] * (7.0 * (1 - summer) + 1.0)[:, None]
    spread = (0.75 + 0.5 * summer)[:, None]
    value = (
        (38.5 + 7.5 * spring)[:, None]
        + height[None]
        - titration
        + weekend[:, None] * urban[None]
        + spread * (5.5 * weather + 6.0 * regional)
        + 2.5 * rng.standard_normal((n, len(towns)))
    )
    return np.clip(value, 1.0, 120.0)


def _ar1(noise: np.ndarray, phi: float) -> np.ndarray:
    """Stationary AR(1) of unit variance along the first axis from independent unit noise."""
    result = noise.copy()
    for t in range(1, len(noise)):
        result[t] = phi * result[t - 1] + np.sqrt(1 - phi**2) * noise[t]
    return result


def _rows(
    index: int, days: np.ndarray, ppb: np.ndarray, rng: np.random.Generator
) -> Iterator[tuple[int, np.datetime64, float, str]]:
    """(POC, day, ppb, event) of one town: with gaps, second instruments and event days."""
    silent = rng.random(len(days)) < 0.02
    start = int(rng.integers(0, len(days) - 20))
    silent[start : start + int(rng.integers(4, 18))] = True  # an instrument under repair
    if index in SPARSE:
        silent[:150] = silent[270:] = True
    second = rng.normal(0.0, 1.5, len(days))
    smoke = rng.random(len(days)) < 0.004
    for t, day in enumerate(days):
        if not silent[t]:
            yield 1, day, ppb[t], "Included" if smoke[t] else "None"
            if smoke[t]:
                yield 1, day, max(ppb[t] - 12.0, 0.0), "Excluded"
        if index in SECOND_MONITOR and t % 6 == 0:
            yield 2, day, max(ppb[t] + second[t], 0.0), "None"


def _line(
    town: Town, number: str, state: tuple[str, str], poc: int, day: np.datetime64, ppb: float, event: str
) -> list[object]:
    """One row of 29 columns; codes are text, numbers are numbers, as in EPA's files."""
    county, county_name, name, lat, lon, _, _ = town
    ppm = round(ppb / 1000.0, 3)
    aqi = int(round(ppb * 50 / 54)) if ppb <= 54 else int(round(51 + (ppb - 55) * 49 / 15))
    return [
        state[0],
        county,
        number,
        "44201",
        poc,
        lat,
        lon,
        "WGS84",
        "Ozone",
        "8-HR RUN AVG BEGIN HOUR",
        "Ozone 8-hour 2015",
        str(day),
        "Parts per million",
        event,
        17,
        100.0,
        round(0.85 * ppm, 6),
        ppm,
        10,
        aqi,
        "",
        f"{MARK} - not an instrument",
        f"{MARK} {name}",
        f"{MARK}, made-up site",
        state[1],
        county_name,
        name,
        "",
        "2000-01-01",
    ]
