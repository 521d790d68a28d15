"""A mutated raw file is refused in one line that names it, or read as a simple reader reads it.

Three oracles. REFUSED: one line that names the file and, for a changed cell, the line. SAME: the
field of the untouched files. READER: the field that tests/mutations/readers.py gives for the
changed files, or refused; nobody can tell one number from another.
"""

import csv
import gzip
import io
import random
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutations import readers, running
from tvgp.study import datasets
from tvgp.study.data import field

REFUSED, SAME, READER = "refused", "same", "reader"
NOT_NUMBERS = ("abc", "12a", "0x1F", "--", "TRUE", "1 2", "4_0", "\u0664\u0660", "1e", "#N/A", "NaN", "nan")
NOT_PLAUSIBLE = ("inf", "-inf", "Infinity", "1e999", "1e30", "-1e30", "9" * 400, "7" * 70_000)
DAYS = ("0001-01-01", "9999-12-31", "2021-02-30", "1856-01-01", "2021-13-01", "today", "44197", "")
STRAY = (b'"', b",", b"'", b";", b'",', b"\t", b"\\", b' "" ', b"\0", b"\r")
USELESS = (
    b"<!DOCTYPE html><html><body>404 Not Found</body></html>",
    b"\xef\xbb\xbf<html><head><title>Sign in</title></head></html>",
    b"\n\n  <!-- moved --><html></html>",
    b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    b'{"error": "rate limit", "status": 429}',
    *(b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf", b"\x00" * 4096),
)


@dataclass(frozen=True)
class Subject:
    """The raw files of one dataset, one of which is changed.

    value, needed: columns that hold numbers, and columns that must be there; day, unit: columns by
    number; header: lines that hold no data; ordered: the order of the rows has a meaning.
    """

    settings: dict
    reader: Callable
    files: dict[str, bytes]
    target: str
    sep: str = ","
    header: int = 1
    value: tuple = ()
    needed: tuple = ()
    day: int | None = None
    unit: int | None = None
    ordered: bool = False

    @property
    def table(self) -> bytes:
        content = self.files[self.target]
        if self.target.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return archive.read(archive.namelist()[0])
        return gzip.decompress(content) if self.target.endswith(".gz") else content

    @property
    def rows(self) -> list[list[str]]:
        text = self.table.decode()
        if self.sep == " ":
            return [line.split() for line in text.splitlines()]
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=self.sep) if row]

    def packed(self, table: bytes | list[list[str]]) -> bytes:
        """A table, or rows of cells, as the bytes of the target."""
        if isinstance(table, list):
            table = written(table, self.sep)
        if self.target.endswith(".zip"):
            return zipped((self.target.replace(".zip", ".csv"), table))
        return gzip.compress(table, 1) if self.target.endswith(".gz") else table


def written(rows: list[list[str]], sep: str = ",") -> bytes:
    if sep == " ":
        return "".join(" ".join(row) + "\n" for row in rows).encode()
    stream = io.StringIO()
    csv.writer(stream, delimiter=sep, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


# Each mutation returns (the target's new bytes, oracle, what the refusal must name).


def cell(draw, subject):
    """One cell holds something else."""
    rows = subject.rows
    row = draw(st.integers(subject.header, len(rows) - 1))
    col = draw(st.sampled_from([*subject.value, *([subject.day] if subject.day is not None else [])]))
    free = subject.sep == " " or not subject.needed  # short lines are passed over, matrices are large
    odd = st.sampled_from(DAYS if col == subject.day else NOT_NUMBERS + NOT_PLAUSIBLE)
    rows[row][col] = draw(odd)
    if subject.sep == " ":
        rows[row][col] = rows[row][col].replace(" ", "") or "-"
    return subject.packed(rows), READER if free else REFUSED, "" if free else f"line {row + 1}"


def digit(draw, subject):
    """One digit of a number is another."""
    rows = subject.rows
    row, col = draw(st.integers(subject.header, len(rows) - 1)), draw(st.sampled_from(subject.value))
    old = rows[row][col]
    place = draw(st.sampled_from([i for i, sign in enumerate(old) if sign.isdigit()] or [0]))
    rows[row][col] = old[:place] + str(draw(st.integers(0, 9))) + old[place + 1 :]
    return subject.packed(rows), READER, ""


def damaged(draw, content: bytes) -> bytes:
    """Bits flipped, a piece missing, cut short, or something put in."""
    data, kind = bytearray(content), draw(st.sampled_from(("flip", "remove", "cut", "insert")))
    place = draw(st.integers(0, len(data) - 1))
    if kind == "flip":
        data[place] ^= 1 << draw(st.integers(0, 7))
    elif kind == "insert":
        data[place:place] = draw(st.sampled_from(STRAY) | st.binary(min_size=1, max_size=50))
    else:
        del data[place : place + draw(st.integers(1, 3000)) if kind == "remove" else None]
    return bytes(data)


def damaged_table(draw, subject):
    return subject.packed(damaged(draw, subject.table)), READER, ""


def damaged_file(draw, subject):
    return damaged(draw, subject.files[subject.target]), READER, ""


def useless(draw, subject):
    """Another file altogether, bare or in the same container."""
    noise = st.binary(min_size=1, max_size=2000)
    content = draw(st.sampled_from(USELESS) | noise | st.sampled_from(("utf-16", "utf-16-be", "cp037")))
    content = (
        subject.table.decode("latin-1").encode(content, "replace") if isinstance(content, str) else content
    )
    return content if draw(st.booleans()) else subject.packed(content), REFUSED, ""


def columns(draw, subject, kind):
    """A column that is needed is missing, has another name or appears twice; or all change places."""
    rows = subject.rows
    col = draw(st.sampled_from(subject.needed))
    if kind == "drop":
        rows = [row[:col] + row[col + 1 :] for row in rows]
    elif kind == "rename":
        rows[0][col] = draw(st.sampled_from(("Other", "", "x y", "Value")))
    elif kind == "repeat":
        rows = [[*row, row[col] if n == 0 else rows[-n][col]] for n, row in enumerate(rows)]
    else:
        order = draw(st.permutations(range(len(rows[0]))))
        rows = [[row[i] for i in order] for row in rows]
    return subject.packed(rows), SAME if kind == "shuffle" else REFUSED, ""


def lines(draw, subject, kind):
    """Rows are shuffled, repeated or missing, or the whole table follows itself."""
    rows = subject.rows
    head, body = rows[: subject.header], rows[subject.header :]
    if kind == "shuffle":
        random.Random(draw(st.integers(0, 99))).shuffle(body)
        return subject.packed(head + body), READER if subject.ordered else SAME, ""
    if kind in ("headless", "empty"):
        return subject.packed(body if kind == "headless" else head), REFUSED, ""
    place = draw(st.integers(0, len(body) - 1))
    again = body[place : place + draw(st.integers(1, 20))]
    rows = rows * 2 if kind == "twice" else head + body[:place] + again + body[place:]
    readings = subject.sep == " " and subject.day is not None  # of the same moment: averaged
    return subject.packed(rows), READER if readings else REFUSED, ""


def same(draw, subject):
    """A byte order mark or other ends of lines; a name in Latin-1."""
    kind = draw(st.sampled_from(("mark", "CRLF", "CR")))
    if kind == "mark":
        return subject.packed(b"\xef\xbb\xbf" + subject.table), READER if subject.sep == " " else SAME, ""
    end = b"\r\n" if kind == "CRLF" else b"\r"
    return subject.packed(subject.table.replace(b"\n", end)), SAME if kind == "CRLF" else READER, ""


def units(draw, subject):
    """Numbers or names of another unit."""
    rows, target = subject.rows, subject.target
    if subject.unit is not None:
        values, factor = (subject.value[0],), 1000.0
        if draw(st.booleans()):
            row = draw(st.integers(1, len(rows) - 1))
            rows[row][subject.unit] = draw(st.sampled_from(("ug/m3", "", "percent", "ppmv", "mg/m3")))
            return subject.packed(rows), REFUSED, f"line {row + 1}"
    elif target == "los_speed.csv":
        values, factor = subject.value, draw(st.sampled_from((1.609344, 0.44704, 0.01, 88.0)))
    else:
        values, factor = subject.value[: 1 if subject.sep == " " else None], 100.0
    for row in rows[subject.header :]:
        for col in values:
            row[col] = f"{float(row[col] or 0) * factor:.4f}"
    return subject.packed(rows), READER if target.startswith(("mote", "graph")) else REFUSED, ""


def members(draw, subject):
    """Zip files of other forms."""
    table, whole, name = subject.table, subject.files[subject.target], "daily.csv"
    forms = (
        (zipped((name, table), method=zipfile.ZIP_BZIP2), SAME),
        (zipped((name, table), method=zipfile.ZIP_STORED), SAME),
        (zipped(("readme.txt", b"x"), (f"folder/{name}", table)), SAME),
        (zipped((name, table), ("again.csv", table)), SAME),
        (zipped(("inside.zip", whole)), REFUSED),
        (zipped(*((f"{n}.csv", table[:2000]) for n in range(60))), REFUSED),
        (gzip.compress(table), REFUSED),
        *((zipped((odd, table), (name, table)), REFUSED) for odd in OUTSIDE),
    )
    return *forms[draw(st.integers(0, len(forms) - 1))], ""


OUTSIDE = ("../evil.csv", "/etc/evil.csv", "C:\\evil.csv", "..\\evil.csv", "//host/a.csv", "a\\..\\..\\b.csv")


def edited(draw, subject, kind):
    """A change of a NetCDF file by its own library."""
    nowhere = st.sampled_from((np.nan, np.inf, -1e30, 1e9))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.nc")
        path.write_bytes(subject.files[subject.target])
        with netCDF4.Dataset(path, "a") as file:
            file.set_auto_maskandscale(False)
            t, y, x = (draw(st.integers(0, n - 1)) for n in file["temperature"].shape)
            if kind == "value":
                file["temperature"][t, y, x] = draw(nowhere | st.floats(-99, 99) | st.just(9.97e36))
            elif kind == "gap":
                file["temperature"][:, y, x] = np.nan
            elif kind == "unit":
                file["temperature"].units = draw(st.sampled_from(("degree F", "K", "mm", "degree C squared")))
            elif kind == "name":
                file.renameVariable(
                    draw(st.sampled_from(sorted(set(file.variables) - {"land_mask"}))), "other"
                )
            elif kind == "order":
                file.renameDimension(draw(st.sampled_from(("time", "latitude", "longitude"))), "other")
            elif kind == "time":
                wrong = np.nan, np.inf, 1e300, -5000.0, file["time"][t - 1]
                file["time"][t] = wrong[draw(st.integers(0, 4))]
            elif kind == "calendar":
                months = file["time"][:]
                file["time"][:] = months[::-1] if draw(st.booleans()) else (months - 1970) * 365.25
            elif kind == "axis":
                axis = file[draw(st.sampled_from(("latitude", "longitude")))]
                moved, place = axis[:], draw(st.integers(0, len(axis) - 1))
                moved[place] = draw(nowhere | st.just(moved[place] + 0.3))
                forms = moved, np.radians(axis[:]), 0 * axis[:], np.roll(axis[:], 2)
                axis[:] = forms[draw(st.integers(0, 3))]
            else:
                file["land_mask"][y, x] = draw(st.sampled_from((7.0, -1.0, np.inf, 1e30)))
        return path.read_bytes(), READER if kind in ("value", "gap", "mask") else REFUSED, ""


@cache
def subjects() -> dict[str, Subject]:
    """Small raw files of each dataset: pieces of the stand-ins."""
    with tempfile.TemporaryDirectory() as folder:
        made = {
            path.name: path.read_bytes()
            for name, values in (
                ("ozone", {"years": [2021]}),
                ("intel_lab", {"period": ["2004-03-01", "2004-03-01"]}),
                ("freeway_speed", {}),
            )
            for path in datasets.make(name, **values).write_standin(Path(folder))
        }
        climate = netcdf(Path(folder, "a.nc"))
    common = {"source": "file", "raw": "raw", "coordinates": "index", "train_fraction": 0.5}
    air = common | {"loader": "ozone", "state": "New York", "coverage": 0.75}
    lab = common | {"loader": "intel_lab", "period": ["2004-03-01"] * 2, "bin_minutes": 120}
    lab |= {"coverage": 0.9, "plausible": [0, 50], "least_voltage": 2.3}
    road = common | {
        "loader": "freeway_speed",
        "first_day": "2012-03-01",
        "sensors": None,
        "window_steps": 84,
    }
    earth = common | {"loader": "berkeley_earth", "region": [0, 44, 4, 48], "land_fraction": 0.5}
    earth |= {"period": ["2000-01", "2001-12"], "coverage": 0.9}
    stations = common | {"loader": "meteo_france", "coverage": 0.5}

    rows = Subject(air, readers.ozone, made, "daily_44201_2021.zip").rows
    rows[1:] = [row for row in rows if row[11] < "2021-01-06" and row[24] == "New York"][:40]
    daily = written(rows)
    csv_of = {
        "needed": (0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 17, 24),
        "value": (17,),
        "day": 11,
        "unit": 12,
    }
    lines = gzip.decompress(made["data.txt.gz"]).splitlines(keepends=True)
    lines = lines[:1] + [text for text in lines[1:] if text.split()[3:4] in ([b"1"], [b"2"])][::40]
    sensors = {"data.txt.gz": gzip.compress(b"".join(lines)), "mote_locs.txt": made["mote_locs.txt"]}
    values = np.random.default_rng(54).uniform(16, 28, (2, 4, 48))
    names = "intelTemperatureTrain.csv", "intelTemperatureTest.csv"
    halves = {
        name: written([[f"{v:.2E}" for v in row] for row in v]) for name, v in zip(names, values, strict=True)
    }
    speeds = [row.split(b",")[:4] for row in made["los_speed.csv"].splitlines()[: 1 + 2 * 288]]
    places = made["graph_sensor_locations.csv"].splitlines(keepends=True)[:5]
    roads = {"los_speed.csv": b"\n".join(map(b",".join, speeds)) + b"\n"}
    roads["graph_sensor_locations.csv"] = b"".join(places)
    plain = {"sep": " ", "header": 1}
    celsius = np.random.default_rng(95).uniform(2, 28, (4, 12)).round(1)
    months = [["NUM_POSTE", "NOM_USUEL", "LAT", "LON", "ALTI", "AAAAMM", "TX", "TM"]]
    for n, place in enumerate((("48.44", "-4.41"), ("44.12", "3.02"), ("43.65", "7.21"), ("48.85", "2.35"))):
        months += [
            [f"0{n + 1}001001", f"PLACE {n}", *place, str(90 + n), f"2020{m + 1:02d}", "", f"{celsius[n, m]}"]
            for m in range(12)
        ]
    months = {"MENSQ_01_2020.csv.gz": gzip.compress(written(months, ";"))}
    return {
        "ozone, csv": Subject(air, readers.ozone, {"a.csv": daily}, "a.csv", **csv_of),
        "ozone, zip": Subject(air, readers.ozone, {"a.zip": zipped(("a.csv", daily))}, "a.zip", **csv_of),
        "intel, readings": Subject(
            lab, readers.intel_readings, sensors, "data.txt.gz", value=(4, 7), day=0, **plain
        ),
        "intel, places": Subject(
            lab, readers.intel_readings, sensors, "mote_locs.txt", value=(0, 1, 2), **plain
        ),
        "intel, matrices": Subject(
            lab | {"period": ["2004-03-01", "2004-03-02"], "bin_minutes": 30},
            readers.intel_matrices,
            halves,
            names[0],
            header=0,
            value=tuple(range(48)),
            ordered=True,
        ),
        "freeway, speeds": Subject(
            road, readers.freeway, roads, "los_speed.csv", value=(0, 1, 2, 3), ordered=True
        ),
        "freeway, places": Subject(
            road, readers.freeway, roads, "graph_sensor_locations.csv", value=(2, 3), needed=(1, 2, 3)
        ),
        "berkeley": Subject(earth, readers.berkeley, {"a.nc": climate}, "a.nc"),
        "meteo france": Subject(
            stations,
            readers.meteo_france,
            months,
            *months,
            sep=";",
            value=(7, 2, 3, 4),
            needed=(0, 2, 3, 4, 5, 7),
            day=5,
        ),
    }


def netcdf(path: Path) -> bytes:
    """Two years on 6 by 6 cells of one degree, in the layout of Berkeley Earth."""
    with netCDF4.Dataset(path, "w") as file:
        for name, axis in (
            ("time", 2000 + (np.arange(24) + 0.5) / 12),
            ("latitude", 43.5 + np.arange(6)),
            ("longitude", -0.5 + np.arange(6)),
        ):
            file.createDimension(name, len(axis))
            file.createVariable(name, "f8", (name,))[:] = axis
        file.createVariable("land_mask", "f8", ("latitude", "longitude"))[:] = np.eye(6) < 1
        values = file.createVariable(
            "temperature", "f4", ("time", "latitude", "longitude"), fill_value=np.nan
        )
        values.units = "degree C"
        values[:] = np.random.default_rng(8).normal(size=(24, 6, 6))
    return path.read_bytes()


CELLS = (cell, digit, damaged_table, damaged_file, useless, same, units)
EDITS = "value gap unit name order time calendar axis mask"


def forms(kind, names):
    return [partial(kind, kind=name) for name in names.split()]


TABLES = (*CELLS, *forms(lines, "shuffle repeat twice"))
NAMED = (*TABLES, *forms(lines, "headless empty"), *forms(columns, "drop rename repeat shuffle"))
KINDS = {
    "ozone, csv": NAMED,
    # the text within is read as that of a csv
    "ozone, zip": (cell, damaged_table, damaged_file, useless, same, members),
    "intel, readings": TABLES,
    "intel, places": TABLES,
    "intel, matrices": TABLES,
    "freeway, speeds": TABLES,
    "freeway, places": NAMED,
    "meteo france": NAMED,
    "berkeley": (*forms(edited, EDITS), damaged_file, useless),
}
CASES = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]


def label(kind):
    """The name of a case: that of the subject, or of the mutation."""
    return " ".join([kind.func.__name__, kind.keywords["kind"]]) if isinstance(kind, partial) else None


@pytest.mark.parametrize(("name", "kind"), CASES, ids=label)
@given(data=st.data())
def test_refused_or_read_correctly(name, kind, data):
    subject = subjects()[name]
    content, oracle, place = kind(data.draw, subject)
    with tempfile.TemporaryDirectory() as folder:
        error, result = played(Path(folder), subject, {subject.target: content})
        assert not (error and oracle == SAME), f"refused without need: {error}"
        assert error or oracle != REFUSED, "taken though it must be refused"
        assert place in error, f"does not name {place}: {error}"
        if not error and oracle == SAME:
            assert difference(result, untouched(name)) == ""
        elif not error:
            assert difference(result, subject.reader(Path(folder, "raw"), subject.settings)) == ""


@cache
def untouched(name: str) -> tuple:
    """The field of the untouched files, which the simple reader must give as well."""
    subject = subjects()[name]
    with tempfile.TemporaryDirectory() as folder:
        error, result = played(Path(folder), subject, {})
        assert not error, error
        assert difference(result, subject.reader(Path(folder, "raw"), subject.settings)) == ""
    return result


@pytest.mark.parametrize("name", KINDS)
def test_unaltered_files_agree_with_the_simple_reader(name):
    untouched(name)


def played(project: Path, subject: Subject, changed: dict) -> tuple[str, tuple | None]:
    """The one line of a refusal, or the field: times as text, sites, values, positions."""
    (project / "raw").mkdir()
    for name, content in (subject.files | changed).items():
        (project / "raw" / name).write_bytes(content)
    error = running.refusal_of_files(project, subject.settings, [*subject.files])
    if error:
        return error, None
    result = field.read_field(project / "field.nc")
    form = "datetime64[m]" if result.time.dtype == "<M8[m]" else "datetime64[D]"
    times = [str(time).replace("T", " ") for time in result.time.astype(form)]
    return "", (times, [*map(str, result.site)], result.value, np.column_stack([result.lat, result.lon]))


def difference(result: tuple, expected: tuple) -> str:
    """How two fields differ, empty where they do not; positions only where both have them."""
    for label, ours, theirs in zip(("times", "sites"), result, expected, strict=False):
        if list(ours) != list(theirs):
            return f"{label}: {sorted({*ours} ^ {*theirs})[:4]} in one of them only, or another order"
    for label, ours, theirs in zip(("values", "positions"), result[2:], expected[2:], strict=False):
        if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=1e-6, atol=1e-9, equal_nan=True):
            return f"{label}: {ours} for {theirs}"
    return ""
