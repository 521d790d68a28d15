"""Freeway speeds of loop detectors: one value per sensor and interval of a daily window, in mph.

Reads one matrix of speeds in the PeMS layout, with every interval of whole days or of the window
alone, without gaps in time:

    times_by_sensors   a header of sensor ids, then one line per time
    sensors_by_times   one line per sensor, its id first; no header

The matrix has no dates: `first_day` gives the first. A second file, with the columns sensor_id,
latitude and longitude, may give positions. Zeros and empty cells are gaps (loop detectors report 0
without a measurement). The field holds a random, seeded selection of the sensors, in the order of
the file; its sites are their ids.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tvgp import streams
from tvgp.study.data import cells, csv_tables, raw_files
from tvgp.study.data.field import Field
from tvgp.study.datasets.standins import freeway_speed as standin

PATTERNS = ("*.csv",)

DAY_MINUTES = 24 * 60
MAX_MPH = 150.0
MAX_DEGREES = 10.0  # from the median position: a network covers a region
MANY, MAX_MEDIAN, MIN_FAST = 1000, 85.0, 40.0  # mph: of all speeds, and of the fastest hundredth
_POSITION = ("sensor_id", "latitude", "longitude")
LAYOUTS = ("times_by_sensors", "sensors_by_times")


@dataclass(frozen=True)
class Parameters:
    """layout: times_by_sensors or sensors_by_times; first_day: date of the first day;
    interval_minutes: time step; window_start: clock time hh:mm of the first value used each day;
    window_steps: values used per day; whole_days: the matrix holds whole days, not the window
    alone; sensors: number of sensors used, None for all; sensor_seed: seed of their selection;
    substitute: the data that these replace, named in figures and captions, or None;
    standin_seed: seed of the stand-in."""

    layout: str = "times_by_sensors"
    first_day: str = "2012-03-01"
    interval_minutes: int = 5
    window_start: str = "06:00"
    window_steps: int = 84
    whole_days: bool = True
    sensors: int | None = 50
    sensor_seed: int = 880
    substitute: str | None = None
    standin_seed: int = 20163

    @property
    def steps_per_day(self) -> int:
        """Times per day in the matrix."""
        return DAY_MINUTES // self.interval_minutes if self.whole_days else self.window_steps


def write_standin(folder: Path, parameters: Parameters) -> list[Path]:
    """Write stand-in files in the Los Angeles layout: whole days, times by sensors."""
    if parameters.layout != "times_by_sensors" or not parameters.whole_days:
        raise ValueError("freeway_speed: the stand-in has whole days, times_by_sensors only")
    return standin.write(folder, parameters.interval_minutes, parameters.standin_seed)


def load(files: Sequence[Path], parameters: Parameters) -> tuple[Field, list[tuple[str, int, str]]]:
    """Convert raw files to a field in mph, with its quality table (item, count, action).

    ValueError, naming file and line, for a wrong number of columns, an incomplete day, invalid
    speeds, and a sensor without a position in the file of positions.
    """
    start = _check(parameters)
    speeds, locations = _matrix_and_locations(files)
    value, ids = _matrix(speeds, parameters)
    positions = _positions(locations, speeds, ids) if locations else {}
    _miles_per_hour(speeds, value)
    days = _whole_days(speeds, value, parameters)
    chosen = _choose(ids, speeds, parameters)
    first = start // parameters.interval_minutes if parameters.whole_days else 0
    window = slice(first, first + parameters.window_steps)
    tensor = value.reshape(days, parameters.steps_per_day, len(ids))[:, window][:, :, chosen]
    tensor = np.where(tensor == 0, np.nan, tensor)
    names = [ids[index] for index in chosen]
    lat, lon = np.array([positions.get(name, (np.nan, np.nan)) for name in names]).T
    field = Field(
        tensor.reshape(-1, len(names)),
        _times(days, start, parameters),
        np.array(names),
        lat,
        lon,
        _attrs(ids, parameters, bool(positions)),
    )
    return field, [
        ("raw files", len(files), "read"),
        ("sensors in the file", len(ids), "one line or column per sensor"),
        ("sensors used", len(names), f"selected at random, seed {parameters.sensor_seed}"),
        ("days", days, f"from {parameters.first_day} on (configured)"),
        (
            "times per day",
            parameters.window_steps,
            f"from {parameters.window_start} on, every {parameters.interval_minutes} minutes",
        ),
        ("times outside the window", value.shape[0] - days * parameters.window_steps, "left out"),
        ("missing values", int(np.isnan(tensor).sum()), "empty or 0 in the file, not available"),
    ]


def _check(parameters: Parameters) -> int:
    """The minute of the day at which the window starts; ValueError for invalid parameters."""
    p = parameters
    if p.layout not in LAYOUTS:
        raise ValueError(f"freeway_speed: layout {p.layout!r} is not one of: {', '.join(LAYOUTS)}")
    if p.interval_minutes < 1 or DAY_MINUTES % p.interval_minutes:
        raise ValueError(
            f"freeway_speed: interval_minutes is {p.interval_minutes}, expected a divisor of 1440"
        )
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", p.window_start):
        raise ValueError(f"freeway_speed: window_start is {p.window_start!r}, expected hh:mm")
    start = int(p.window_start[:2]) * 60 + int(p.window_start[3:])
    if start % p.interval_minutes:
        raise ValueError(
            f"freeway_speed: window_start {p.window_start} is not a multiple of {p.interval_minutes} minutes"
        )
    if p.window_steps < 1 or start + p.window_steps * p.interval_minutes > DAY_MINUTES:
        raise ValueError(f"freeway_speed: {p.window_steps} steps from {p.window_start} do not fit into a day")
    try:
        np.datetime64(p.first_day, "D")
    except ValueError:
        raise ValueError(f"freeway_speed: first_day {p.first_day!r} is not a date") from None
    return start


def _matrix_and_locations(files: Sequence[Path]) -> tuple[Path, Path | None]:
    """The matrix of speeds, and the table of positions, recognised by its header."""
    speeds: list[Path] = []
    locations: list[Path] = []
    for path in map(Path, files):
        raw_files.check(path)
        with open(path, encoding="utf-8-sig", errors="replace") as stream:
            head = stream.readline(csv_tables.MAX_LINE).casefold().strip().split(",")
        (locations if set(_POSITION) <= set(head) else speeds).append(path)
    if len(speeds) != 1 or len(locations) > 1:
        names = ", ".join(sorted(Path(path).name for path in files)) or "no file"
        raise ValueError(
            f"freeway_speed: found {names}; expected one matrix of speeds and at most one table"
            f" with the columns {', '.join(_POSITION)}"
        )
    return speeds[0], locations[0] if locations else None


def _matrix(path: Path, parameters: Parameters) -> tuple[np.ndarray, list[str]]:
    """(times, sensors) speeds in mph, 0 for a gap, and the sensor ids."""
    across = parameters.layout == "times_by_sensors"
    text = cells.table(path, header=across)
    ids = [name.strip() for name in (text.columns if across else text.pop(text.columns[0]))]
    for row, name in enumerate(ids):
        if not (name.isascii() and name.isprintable() and name) or re.fullmatch(r"\d+\.\d+", name):
            line = 1 if across else text.index[row]
            raise ValueError(
                f"{path}, line {line}: {name!r} is not a sensor id (header missing, or `layout`?)"
            )
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ValueError(f"{path}: sensor id {repeated[0]!r} appears more than once")
    if not text.size:
        raise ValueError(f"{path}: no speeds")
    value = cells.quantities(text, f"{path}", "speed", (0, MAX_MPH), "mph", blank="0")
    return value if across else value.T, ids


def _positions(path: Path, speeds: Path, ids: list[str]) -> dict[str, tuple[float, float]]:
    """Sensor id -> (latitude, longitude), of the sensors in the matrix of speeds."""
    text = cells.table(path)
    text.columns = header = [name.strip().casefold() for name in text.columns]
    cells.columns(header, _POSITION, str(path), ",".join(_POSITION))
    refuse = partial(cells.refuse, table=text, label=str(path))
    names, place = text["sensor_id"].str.strip(), cells.numbers(text[list(_POSITION[1:])])
    on_earth = (np.abs(place) <= [90, 180]).all(axis=1)
    refuse(~on_earth, fault="latitude and longitude are not a position on Earth")
    refuse(~place.any(axis=1), fault="position 0, 0, expected that of a sensor")
    refuse(names.duplicated(), fault="sensor {sensor_id} has a second position")
    middle = np.median(place, axis=0) if len(place) else 0.0
    far = np.abs(place - middle).max(axis=1) > MAX_DEGREES
    cure = "is far from the others; are its columns exchanged?"
    refuse(far, fault=f"sensor {{sensor_id}} at latitude {{latitude}}, longitude {{longitude}} {cure}")
    if len(ids) != len(names):
        raise ValueError(
            f"{speeds}: speeds of {len(ids)} sensors, but {path.name} has {len(names)};"
            " wrong number of columns, or files of different networks"
        )
    positions = dict(zip(names, place.tolist(), strict=True))
    for name in ids:
        if name not in positions:
            raise ValueError(f"{speeds}: sensor {name} has no position in {path.name}")
    return positions


def _whole_days(path: Path, value: np.ndarray, parameters: Parameters) -> int:
    """Number of days; ValueError if the last day is incomplete."""
    steps = parameters.steps_per_day
    days, rest = divmod(len(value), steps)
    if rest:
        day = np.datetime64(parameters.first_day, "D") + np.timedelta64(days, "D")
        where = f"{path}"
        if parameters.layout == "times_by_sensors":
            where += f", line {2 + days * steps}"
        raise ValueError(
            f"{where}: day {days + 1} ({day}) is incomplete, {rest} times of {steps}; expected"
            f" {'whole days' if parameters.whole_days else 'whole windows'} of {steps} times"
        )
    return days


def _miles_per_hour(path: Path, value: np.ndarray) -> None:
    """ValueError if the speeds as a whole are implausible for a freeway in miles per hour."""
    if not value.any():
        raise ValueError(f"{path}: only zeros and empty cells")
    if value.size < MANY:
        return
    median, high = np.percentile(value[value > 0], [50, 99])
    if median > MAX_MEDIAN or high < MIN_FAST:
        raise ValueError(
            f"{path}: invalid speeds: median {median:.4g}, 99th percentile {high:.4g};"
            " expected miles per hour on a freeway (km/h or m/s?)"
        )


def _choose(ids: list[str], path: Path, parameters: Parameters) -> np.ndarray:
    """Indices of the selected sensors, ascending."""
    if parameters.sensors is None:
        return np.arange(len(ids))
    if not 1 <= parameters.sensors <= len(ids):
        raise ValueError(f"{path}: {len(ids)} sensors, `sensors` is {parameters.sensors}")
    rng = streams.generator("freeway_speed sensors", parameters.sensor_seed)
    return np.sort(rng.choice(len(ids), size=parameters.sensors, replace=False))


def _times(days: int, start: int, parameters: Parameters) -> np.ndarray:
    step, day = np.timedelta64(parameters.interval_minutes, "m"), np.timedelta64(DAY_MINUTES, "m")
    begin = np.datetime64(parameters.first_day, "D").astype("datetime64[m]")
    begin = begin + np.timedelta64(start, "m")
    steps = np.arange(parameters.window_steps)
    return (begin + day * np.arange(days)[:, None] + step * steps).ravel()


def _attrs(ids: list[str], parameters: Parameters, placed: bool) -> dict[str, str]:
    marked = any(name.startswith(standin.MARK) for name in ids)
    attrs = {
        "title": "Freeway speeds",
        "units": "mph",
        "long_name": "speed at loop detectors",
        "frequency": f"{parameters.interval_minutes} minutes within a daily window",
        "licence": "see data/raw/README.md",
        "citation": "H. V. Jagadish et al. (2014), Big Data and Its Technical Challenges,"
        " Communications of the ACM 57(7), 86-94; Y. Li, R. Yu, C. Shahabi, Y. Liu (2018),"
        " Diffusion Convolutional Recurrent Neural Network, ICLR",
        "source": "standin" if marked else "real",
        "positions": "degrees" if placed else "none",
    }
    if parameters.substitute and not marked:  # synthetic data replace no measurements
        attrs["substitute"] = parameters.substitute
    return attrs
