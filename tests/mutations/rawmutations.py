"""Mutations of raw files: what is changed, and what may come of it.

Oracles:
    refused  one line that names the file (and the line, where one cell was changed)
    same     the field of the untouched files, to the last digit that addition order leaves
    reader   the field that a simple reader gives for the changed files, or refused; a change of
             one number to another is no more than that, and nobody could tell
"""

import csv
import gzip
import hashlib
import io
import struct
import zipfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import netCDF4
import numpy as np

from tests.mutations import readers
from tvgp.study import datasets
from tvgp.study.data import raw_files

REFUSED, SAME, READER = "refused", "same", "reader"
WRONG = ("abc", "12a", "0x1F", "1,5", "--", "TRUE", "1 2", "4_0", "\u0664\u0660", "1e", "#N/A")
NOT_FINITE = ("NaN", "nan", "inf", "-inf", "Infinity", "1e999", "-1e999")
HUGE = ("1e30", "-1e30", "9" * 400, "1e308", "-5", "1" + "0" * 30)
DAYS = ("0001-01-01", "9999-12-31", "2021-02-30", "1856-01-01", "2021-13-01", "today", "44197", "")
PAGES = (
    b"<!DOCTYPE html><html><body>404 Not Found</body></html>",
    b"\xef\xbb\xbf<html><head><title>Sign in</title></head></html>",
    b"\n\n  <!-- moved --><html></html>",
    b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    b'{"error": "rate limit", "status": 429}',
)
EMPTY = (b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf", b"\x00" * 4096)


@dataclass(frozen=True)
class Subject:
    """The raw files of one dataset: settings of its loader, names and bytes, which one is changed.

    inner: name of the table inside a zip; header, comment: lines that hold no data; sep: what
    separates cells; value, day, unit, name: columns by number, None where there is none.
    """

    name: str
    dataset: str
    settings: dict
    reader: object
    files: dict
    target: str
    sep: str = ","
    header: int = 1
    inner: str | None = None
    value: tuple = ()
    day: int | None = None
    unit: int | None = None
    text: int | None = None
    needed: tuple = ()
    free_order: bool = False
    real: bool = False

    def table(self) -> bytes:
        """The table of the changed file, unpacked."""
        content = self.files[self.target]
        if self.inner:
            return zipfile.ZipFile(io.BytesIO(content)).read(self.inner)
        return gzip.decompress(content) if self.target.endswith(".gz") else content

    def packed(self, table: bytes) -> bytes:
        """A table as the changed file's bytes."""
        if self.inner:
            stream = io.BytesIO()
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(self.inner, table)
            return stream.getvalue()
        return gzip.compress(table, 1) if self.target.endswith(".gz") else table


@dataclass(frozen=True)
class Mutation:
    """What one seed does to a subject: the changed file's bytes, the oracle, what a refusal must
    name beside the file, and what was done, for the reader of a fault."""

    kind: str
    content: bytes
    oracle: str
    place: str = ""
    told: str = ""
    more: dict = field(default_factory=dict)  # further files, or other names for them


# ---------------------------------------------------------------- text tables


def rows_of(subject):
    text = subject.table().decode("utf-8-sig", "replace")
    if subject.sep == ",":
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    return [line.split(" ") for line in text.splitlines() if line]


def written(subject, rows, end="\n"):
    if subject.sep == ",":
        stream = io.StringIO()
        csv.writer(stream, lineterminator=end).writerows(rows)
        return stream.getvalue().encode()
    return (end.join(" ".join(row) for row in rows) + end).encode()


def some_row(subject, rows, rng):
    return int(rng.integers(subject.header, len(rows)))


def one_cell(kind, values, column):
    """Put one of these texts into a random cell of a value column (or of another)."""

    def change(subject, rng):
        columns = getattr(subject, column)
        columns = columns if isinstance(columns, tuple) else (columns,)
        if not columns or columns[0] is None:
            return None
        rows = rows_of(subject)
        row, col = some_row(subject, rows, rng), int(rng.choice(columns))
        while len(rows[row]) <= col:  # a line cut short
            row = some_row(subject, rows, rng)
        text = str(values[int(rng.integers(len(values)))])
        if subject.sep == " ":
            text = text.replace(" ", "") or "-"
        told = f"row {row + 1}, column {col + 1}: {rows[row][col]!r} -> {text[:40]!r}"
        rows[row][col] = text
        oracle = READER if kind == "another number" or subject.sep == " " else REFUSED
        if text == "-5" and subject.target.endswith("locations.csv"):
            oracle = READER  # a place on Earth, if another one
        place = f"line {row + 1}" if oracle == REFUSED else ""
        return Mutation(kind, subject.packed(written(subject, rows)), oracle, place, told)

    return change


def another_number(subject, rng):
    rows = rows_of(subject)
    row, col = some_row(subject, rows, rng), int(rng.choice(subject.value))
    while len(rows[row]) <= col:
        row = some_row(subject, rows, rng)
    old = rows[row][col]
    digit = int(rng.choice([i for i, c in enumerate(old) if c.isdigit()]))
    rows[row][col] = old[:digit] + str((int(old[digit]) + 1 + rng.integers(8)) % 10) + old[digit + 1 :]
    told = f"row {row + 1}: {old} -> {rows[row][col]}"
    return Mutation("another number", subject.packed(written(subject, rows)), READER, "", told)


def bits(subject, rng):
    table = bytearray(subject.table())
    for place in rng.integers(0, len(table), size=int(rng.integers(1, 6))):
        table[place] ^= 1 << int(rng.integers(8))
    return Mutation("bits flipped in the text", subject.packed(bytes(table)), READER)


def raw_bits(subject, rng):
    content = bytearray(subject.files[subject.target])
    for place in rng.integers(0, len(content), size=int(rng.integers(1, 4))):
        content[place] ^= 1 << int(rng.integers(8))
    return Mutation("bits flipped in the file", bytes(content), READER)


def cut(subject, rng):
    content = subject.files[subject.target]
    size = int(rng.integers(1, len(content)))
    packed = subject.target.endswith((".zip", ".gz"))
    return Mutation("cut short", content[:size], REFUSED if packed else READER, "", f"at {size}")


def cut_text(subject, rng):
    table = subject.table()
    size = int(rng.integers(1, len(table)))
    return Mutation("text cut short", subject.packed(table[:size]), READER, "", f"at {size}")


def hole(subject, rng):
    table = subject.table()
    start = int(rng.integers(0, len(table)))
    stop = start + int(rng.integers(1, 3000))
    told = f"{start} to {stop}"
    return Mutation("a piece missing", subject.packed(table[:start] + table[stop:]), READER, "", told)


def renamed(subject, rng):
    if not subject.needed:
        return None
    rows, col = rows_of(subject), int(rng.choice(subject.needed))
    told, rows[0][col] = rows[0][col], str(rng.choice(["Other", "", "x y", "Value"]))
    return Mutation("column renamed", subject.packed(written(subject, rows)), REFUSED, "", told)


def dropped(subject, rng):
    if not subject.needed:
        return None
    rows, col = rows_of(subject), int(rng.choice(subject.needed))
    told = rows[0][col]
    rows = [row[:col] + row[col + 1 :] for row in rows]
    return Mutation("column dropped", subject.packed(written(subject, rows)), REFUSED, "", told)


def twice(subject, rng):
    """A second column of the same name, with other content."""
    if not subject.needed:
        return None
    rows, col = rows_of(subject), int(rng.choice(subject.needed))
    told = rows[0][col]
    rows = [
        [*row, row[col] if n == 0 else rows[1 + n * 7 % (len(rows) - 1)][col]] for n, row in enumerate(rows)
    ]
    return Mutation("column twice", subject.packed(written(subject, rows)), REFUSED, "", told)


def columns_shuffled(subject, rng):
    if not subject.needed:
        return None
    rows = rows_of(subject)
    order = rng.permutation(len(rows[0]))
    rows = [[row[i] for i in order] for row in rows]
    return Mutation("columns shuffled", subject.packed(written(subject, rows)), SAME)


def header_shuffled(subject, rng):
    """Names over the wrong columns."""
    if not subject.needed:
        return None
    rows = rows_of(subject)
    rows[0] = [rows[0][i] for i in np.roll(np.arange(len(rows[0])), int(rng.integers(1, 9)))]
    return Mutation("header shuffled", subject.packed(written(subject, rows)), READER)


def rows_shuffled(subject, rng):
    rows = rows_of(subject)
    body = [rows[subject.header + i] for i in rng.permutation(len(rows) - subject.header)]
    table = subject.packed(written(subject, rows[: subject.header] + body))
    return Mutation("rows shuffled", table, SAME if subject.free_order else READER)


def rows_twice(subject, rng):
    rows = rows_of(subject)
    row = some_row(subject, rows, rng)
    count = int(rng.integers(1, 20))
    rows[row:row] = rows[row : row + count]
    oracle = READER if subject.sep == " " and subject.target.startswith("data") else REFUSED
    told = f"{count} from row {row + 1}"
    return Mutation("rows twice", subject.packed(written(subject, rows)), oracle, "", told)


def file_twice(subject, rng):
    table = subject.table()
    oracle = READER if subject.sep == " " and subject.target.startswith("data") else REFUSED
    return Mutation("the file twice in one", subject.packed(table + table), oracle)


def no_header(subject, rng):
    if subject.header != 1 or subject.sep == " ":
        return None
    rows = rows_of(subject)[1:]
    return Mutation("header missing", subject.packed(written(subject, rows)), REFUSED)


def only_header(subject, rng):
    if subject.header != 1 or subject.sep == " ":
        return None
    rows = rows_of(subject)[:1]
    return Mutation("only the header", subject.packed(written(subject, rows)), REFUSED)


def encoded(subject, rng):
    text = subject.table().decode("utf-8-sig", "replace")
    code = str(rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp037"]))
    oracle = SAME if code == "utf-7" else REFUSED
    oracle = READER if code == "utf-7" else REFUSED
    table = text.encode(code, "replace")
    return Mutation("another encoding", subject.packed(table), oracle, "", code)


def latin(subject, rng):
    if subject.text is None:
        return None
    rows = rows_of(subject)
    row = some_row(subject, rows, rng)
    rows[row][subject.text] += "\u00e9\u00df"
    table = written(subject, rows).decode().encode("latin-1", "replace")
    return Mutation("latin-1 in a name", subject.packed(table), SAME)


def marked(subject, rng):
    table = b"\xef\xbb\xbf" + subject.table()
    return Mutation("byte order mark", subject.packed(table), READER if subject.sep == " " else SAME)


def line_ends(subject, rng):
    plain = subject.table().replace(b"\r\n", b"\n")
    end = [b"\r\n", b"\r\n", b"\r"][int(rng.integers(3))]
    oracle = SAME if end == b"\r\n" else READER
    return Mutation("line ends", subject.packed(plain.replace(b"\n", end)), oracle, "", repr(end))


def nulls(subject, rng):
    table = bytearray(subject.table())
    for place in sorted(rng.integers(0, len(table), size=int(rng.integers(1, 50))), reverse=True):
        table[place:place] = b"\0"
    return Mutation("null bytes", subject.packed(bytes(table)), READER)


def page(subject, rng):
    content = PAGES[int(rng.integers(len(PAGES)))]
    content = content if rng.random() < 0.5 else subject.packed(content)
    return Mutation("a web page", content, REFUSED, "", repr(content[:30]))


def empty(subject, rng):
    content = EMPTY[int(rng.integers(len(EMPTY)))]
    content = content if rng.random() < 0.5 else subject.packed(content)
    return Mutation("nothing in it", content, REFUSED, "", repr(content[:30]))


def noise(subject, rng):
    content = rng.integers(0, 256, size=int(rng.integers(1, 200_000)), dtype=np.uint8).tobytes()
    content = content if rng.random() < 0.5 else subject.packed(content)
    return Mutation("random bytes", content, REFUSED)


def long_cell(subject, rng):
    rows = rows_of(subject)
    row = some_row(subject, rows, rng)
    rows[row][int(rng.integers(len(rows[row])))] = "7" * int(rng.choice([70_000, 20_000_000]))
    plain = written(subject, rows)
    packed = subject.packed(plain)
    # what is packed that well is refused before any of its lines is read
    bomb = len(plain) > max(raw_files.RATIO_FROM, raw_files.MAX_RATIO * len(packed))
    place = "unpack to" if bomb else f"line {row + 1}"
    return Mutation("an endless cell", packed, REFUSED, place)


def stray(subject, rng):
    rows = rows_of(subject)
    lines = written(subject, rows).split(b"\n")
    row = some_row(subject, rows, rng)
    piece = bytes(rng.choice([b'"', b",", b"'", b";", b'",', b"\t", b"\\", b' "" ']))
    place = int(rng.integers(len(lines[row])))
    lines[row] = lines[row][:place] + piece + lines[row][place:]
    told = f"{piece!r} into row {row + 1}"
    return Mutation("a stray sign", subject.packed(b"\n".join(lines)), READER, "", told)


def units(subject, rng):
    rows = rows_of(subject)
    if subject.dataset == "ozone":
        choice = int(rng.integers(3))
        if choice == 0:
            for row in rows[1:]:
                row[subject.unit] = "Parts per billion"
        elif choice == 1:
            row = rows[some_row(subject, rows, rng)]
            row[subject.unit] = str(rng.choice(["ug/m3", "", "percent", "ppmv", "mg/m3"]))
        else:
            for row in rows[1:]:
                row[subject.value[0]] = f"{float(row[subject.value[0]] or 0) * 1000:g}"
        told = ["all in ppb by name", "one row's", "numbers in ppb"][choice]
    elif subject.dataset == "freeway_speed" and subject.target.startswith("los"):
        factor = float(rng.choice([1.609344, 0.44704, 0.01, 88.0]))
        for row in rows[1:]:
            row[:] = [f"{float(cell) * factor:.4f}" for cell in row]
        told = f"times {factor}"
    elif subject.dataset == "intel_lab" and not subject.target.startswith("mote"):
        scale, shift = [(1.8, 32.0), (1.0, 273.15), (100.0, 0.0)][int(rng.integers(3))]
        for row in rows[subject.header :]:
            for col in subject.value[: 1 if subject.sep == " " else None]:
                if len(row) > col:
                    row[col] = f"{float(row[col]) * scale + shift:.4f}"
        told = f"times {scale} plus {shift}"
    else:
        return None
    return Mutation("wrong units", subject.packed(written(subject, rows)), REFUSED, "", told)


TEXT = (
    bits,
    raw_bits,
    another_number,
    cut,
    cut_text,
    hole,
    renamed,
    dropped,
    twice,
    columns_shuffled,
    header_shuffled,
    rows_shuffled,
    rows_twice,
    file_twice,
    no_header,
    only_header,
    encoded,
    latin,
    marked,
    line_ends,
    nulls,
    page,
    empty,
    noise,
    long_cell,
    stray,
    units,
    one_cell("wrong type", WRONG, "value"),
    one_cell("not finite", NOT_FINITE, "value"),
    one_cell("enormous number", HUGE, "value"),
    one_cell("date out of range", DAYS, "day"),
)


# ---------------------------------------------------------------- containers


def zipped(members, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def bomb(subject, rng):
    """Little that unpacks to much: plain zeros, lines, or a size that the directory denies."""
    line = [b"\0", b"\n", b"a,b\n", b" "][int(rng.integers(4))]
    size = int(rng.choice([200, 400, 1500])) << 20
    block = line * ((1 << 20) // len(line))
    stream = io.BytesIO()
    told = f"{size >> 20} MB of {line!r}"
    if subject.target.endswith(".gz"):
        with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1) as file:
            for _ in range(size >> 20):
                file.write(block)
        return Mutation("bomb", stream.getvalue(), REFUSED, "", told)
    if not subject.inner:
        return None
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(subject.inner, "w", force_zip64=True) as member:
            for _ in range(size >> 20):
                member.write(block)
    content = stream.getvalue()
    if rng.random() < 0.5:  # the directory says: 1000 bytes
        place = content.rindex(b"PK\x01\x02")
        content = content[: place + 24] + struct.pack("<I", 1000) + content[place + 28 :]
        told += ", said to be 1000 bytes"
    return Mutation("bomb", content, REFUSED, "", told)


def traversal(subject, rng):
    if not subject.inner:
        return None
    names = (
        "../evil.csv",
        "/etc/evil.csv",
        "C:\\evil.csv",
        "a/../../evil.csv",
        "..\\evil.csv",
        "a/..",
        "//host/share/a.csv",
        "a\\..\\..\\b.csv",
    )
    name = names[int(rng.integers(len(names)))]
    members = [(name, subject.table()), (subject.inner, subject.table())]
    members = members[:: int(rng.choice([1, -1]))]
    return Mutation("path traversal in a zip", zipped(members), REFUSED, "", repr(name))


def zip_members(subject, rng):
    if not subject.inner:
        return None
    table, kind = subject.table(), int(rng.integers(7))
    more = [("readme.txt", "x"), ("a/b/notes.txt", "y")]
    content, oracle = {
        0: lambda: (zipped([(subject.inner, table)], zipfile.ZIP_BZIP2), SAME),
        1: lambda: (zipped([(subject.inner, table)], zipfile.ZIP_STORED), SAME),
        2: lambda: (zipped([*more, (f"folder/{subject.inner}", table)]), SAME),
        3: lambda: (zipped([(subject.inner, table), ("again.csv", table)]), SAME),
        4: lambda: (zipped([("inside.zip", subject.files[subject.target])]), REFUSED),
        5: lambda: (zipped([(f"{n}.csv", table[:2000]) for n in range(60)]), REFUSED),
        6: lambda: (gzip.compress(table), REFUSED),
    }[kind]()
    return Mutation("odd zip members", content, oracle, "", f"form {kind}")


def symbolic_link(subject, rng):
    if not subject.inner:
        return None
    link = zipfile.ZipInfo("link.csv")
    link.external_attr = 0o120777 << 16
    return Mutation("symbolic link in a zip", zipped([(link, "/etc/passwd")]), REFUSED)


CONTAINERS = (bomb, bomb, traversal, traversal, zip_members, zip_members, symbolic_link)


# ---------------------------------------------------------------- NetCDF


def edited(kind, oracle, change):
    """A change by the NetCDF library itself."""

    def mutate(subject, rng, folder):
        path = folder / "edited.nc"
        path.write_bytes(subject.files[subject.target])
        with netCDF4.Dataset(path, "a") as file:
            file.set_auto_maskandscale(False)
            told = change(file, rng)
        outcome = oracle
        if isinstance(told, tuple):
            told, outcome = told
        mutation = Mutation(kind, path.read_bytes(), outcome, "", str(told or ""))
        path.unlink()
        return mutation

    return mutate


def _inside(file, rng):
    """A month and cell that the study reads."""
    return (
        int(rng.integers(len(file["time"]))),
        int(rng.integers(134, 138)),
        int(rng.integers(180, 184)),
    )


def _put(values):
    def change(file, rng):
        where, value = _inside(file, rng), float(values[int(rng.integers(len(values)))])
        file["temperature"][where] = value
        return f"{value} at {where}"

    return change


def _units(file, rng):
    units = str(rng.choice(["degree F", "K", "kelvin", "mm", "percent", "degree C squared"]))
    file["temperature"].units = units
    return units


def _times(file, rng):
    kind = int(rng.integers(6))
    time = file["time"]
    place = int(rng.integers(len(time)))
    if kind == 0:
        time[place] = np.nan
    elif kind == 1:
        time[place] = float(rng.choice([-5000.0, 1e9, 1e300, np.inf]))
    elif kind == 2:
        time[place] = float(time[place - 1])
    elif kind == 3:
        time[:] = time[:][::-1].copy()
    elif kind == 4:
        time[:] = (time[:] - 1970) * 365.25  # days since 1970
    else:
        time[:] = np.floor(time[:])
    return f"form {kind} at {place}"


def _axes(file, rng):
    kind, name = int(rng.integers(5)), str(rng.choice(["latitude", "longitude"]))
    axis = file[name]
    if kind == 0:
        axis[int(rng.integers(len(axis)))] = float(rng.choice([np.nan, np.inf, 1e9, -1e30]))
    elif kind == 1:
        axis[:] = rng.permutation(axis[:])
    elif kind == 2:
        axis[:] = np.radians(axis[:])
    elif kind == 3:
        axis[int(rng.integers(len(axis)))] += 0.3
    else:
        axis[:] = 0.0
    return f"{name}, form {kind}"


def _mask(file, rng):
    value = float(rng.choice([7.0, -1.0, np.inf, 1e30, np.nan]))
    where = _inside(file, rng)[1:]
    file["land_mask"][where] = value
    return f"{value} at {where}", READER if np.isnan(value) else REFUSED


def _absolute(file, rng):
    """Kelvin under the name of degree C."""
    file["temperature"][:, 134:138, 180:184] += 273.15
    for name in ("valid_min", "valid_max"):
        file["temperature"].delncattr(name)


def _gaps(file, rng):
    """All of one month missing, or one cell: its site is gone, or the value not there."""
    t, i, j = _inside(file, rng)
    if rng.random() < 0.5:
        file["temperature"][:, i, j] = np.nan
    else:
        file["temperature"][t, i, j] = np.nan
    return "cell or value"


def rebuilt(kind, oracle, build):
    """A file written anew from the parts of the old one."""

    def mutate(subject, rng, folder):
        old, path = folder / "old.nc", folder / "new.nc"
        old.write_bytes(subject.files[subject.target])
        with netCDF4.Dataset(old) as source:
            source.set_auto_maskandscale(False)
            told = build(source, path, rng)
        mutation = Mutation(kind, path.read_bytes(), oracle, "", str(told or ""))
        old.unlink()
        path.unlink()
        return mutation

    return mutate


def _copy(source, path, data="f4", format="NETCDF4", scale=None, other=None, order=None):
    """Rewrite with another type, format or packing of the temperature, with another name for one
    variable, or with the names of the dimensions in another order."""
    order = order or ("time", "latitude", "longitude")
    with netCDF4.Dataset(path, "w", format=format) as file:
        sizes = zip(order, source["temperature"].shape, strict=True)
        for name, size in sizes:
            file.createDimension(name, size)
        for name in ("longitude", "latitude", "time", "land_mask"):
            old = source[name]
            dimensions = [order[("time", "latitude", "longitude").index(d)] for d in old.dimensions]
            new = file.createVariable("other" if name == other else name, old.dtype, dimensions)
            new.setncatts({k: old.getncattr(k) for k in old.ncattrs() if k != "_FillValue"})
            new[:] = old[:]
        box = np.s_[:, 128:142, 168:196]
        fill = {"i2": np.int16(-32768), "i4": np.int32(-99999)}.get(data, np.nan)
        name = "other" if other == "temperature" else "temperature"
        new = file.createVariable(name, data, order, fill_value=fill)
        new.set_auto_maskandscale(False)
        new.units = "degree C"
        values = source["temperature"][box]
        if scale:
            new.scale_factor, new.add_offset = scale, 0.0
            values = np.where(np.isfinite(values), np.round(values / scale), fill)
        with np.errstate(invalid="ignore"):
            new[box] = values.astype(data)
        file.standin = "not measurements"


def _rename(source, path, rng):
    name = str(rng.choice(["temperature", "time", "latitude", "longitude", "land_mask"]))
    _copy(source, path, other=name)
    return name


def _turned(source, path, rng):
    orders = [("time", "longitude", "latitude"), ("latitude", "time", "longitude")]
    order = orders[int(rng.integers(2))]
    _copy(source, path, order=order)
    return order


def _types(source, path, rng):
    data = str(rng.choice(["i2", "i4"]))
    _copy(source, path, data)
    return data


def _packed(source, path, rng):
    _copy(source, path, "i2", scale=0.01)


def _wider(source, path, rng):
    data = str(rng.choice(["f8", "f4"]))
    _copy(source, path, data, format=str(rng.choice(["NETCDF4", "NETCDF3_64BIT_OFFSET"])))
    return data


def _huge(source, path, rng):
    """A few bytes that promise a field of terabytes."""
    kind = int(rng.integers(3))
    sizes = [(90_000, 90_000, 90_000), (100_000, 1000, 1000), (2_000_000_000, 2, 2)][kind]
    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip(("time", "latitude", "longitude"), sizes, strict=True):
            file.createDimension(name, size)
        new = file.createVariable(
            "temperature",
            "f4",
            ("time", "latitude", "longitude"),
            zlib=True,
            chunksizes=[(1000, 1000, 1000), (500, 500, 500), (1000, 1, 1)][kind],
        )
        new.units = "degree C"
        for name, low, high in (("latitude", 40.0, 50.0), ("longitude", 0.0, 8.0)):
            axis = file.createVariable(name, "f8", (name,), zlib=True)
            axis[:] = np.linspace(low, high, len(axis))
        time = file.createVariable("time", "f8", ("time",), zlib=True)
        time[: min(len(time), 3600)] = 1800 + (np.arange(min(len(time), 3600)) + 0.5) / 12
    return f"{sizes}"


NETCDF = (
    rebuilt("column renamed", REFUSED, _rename),
    edited("wrong units", REFUSED, _units),
    edited("date out of range", REFUSED, _times),
    edited("date out of range", REFUSED, _times),
    edited("axis out of order", REFUSED, _axes),
    edited("axis out of order", REFUSED, _axes),
    edited("not finite", READER, _put([np.inf, -np.inf])),
    edited("not finite", READER, _put([np.nan])),
    edited("enormous number", READER, _put([1e30, -1e30, 1e36, 9.97e36, -999.0, 1e5])),
    edited("another number", READER, _put(np.arange(-3.0, 3.0))),
    edited("land mask", REFUSED, _mask),
    edited("wrong units", REFUSED, _absolute),
    rebuilt("columns shuffled", REFUSED, _turned),
    edited("a piece missing", READER, _gaps),
    rebuilt("wrong type", REFUSED, _types),
    rebuilt("wrong type", READER, _packed),
    rebuilt("another format", SAME, _wider),
    rebuilt("bomb", REFUSED, _huge),
    rebuilt("bomb", REFUSED, _huge),
)
NETCDF_BYTES = (raw_bits, raw_bits, raw_bits, cut, page, empty, noise)


# ---------------------------------------------------------------- subjects


def subjects(folder: Path, shared: Path) -> list[Subject]:
    """Stand-ins of every dataset, written into `folder`, and the real files where they are."""
    found = [*_ozone(folder / "ozone"), *_intel(folder / "intel"), *_freeway(folder / "freeway")]
    found.append(_berkeley(folder / "berkeley"))
    return found + (_real(shared) if shared.is_dir() else [])


def _ozone(folder):
    loader = datasets.make("ozone", years=[2021])
    path = loader.write_standin(folder)[0]
    settings = {
        "loader": "ozone",
        "raw": "data/raw/ozone",
        "source": "file",
        "coordinates": "km",
        "train_fraction": 0.3333,
        "state": "New York",
        "coverage": 0.75,
    }
    zip_of = dict(
        dataset="ozone",
        settings=settings,
        reader=readers.ozone,
        value=(17,),
        day=11,
        unit=12,
        text=22,
        needed=(0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 17, 24),
        free_order=True,
    )
    content = path.read_bytes()
    inner = "daily_44201_2021.csv"
    yield Subject("ozone stand-in, zip", files={path.name: content}, target=path.name, inner=inner, **zip_of)
    pinned = settings | {"sha256": {path.name: hashlib.sha256(content).hexdigest()}}
    yield Subject(
        "ozone stand-in, pinned",
        files={path.name: content},
        target=path.name,
        inner=inner,
        **zip_of | {"settings": pinned},
    )
    table = zipfile.ZipFile(io.BytesIO(content)).read(inner)
    yield Subject("ozone stand-in, csv", files={inner: table}, target=inner, **zip_of)


def _intel(folder):
    settings = {
        "loader": "intel_lab",
        "raw": "data/raw/intel_lab",
        "source": "file",
        "coordinates": "index",
        "train_fraction": 0.5,
        "period": ["2004-03-01", "2004-03-01"],
        "bin_minutes": 10,
        "coverage": 0.9,
        "plausible": [0, 50],
        "least_voltage": 2.3,
    }
    loader = datasets.make("intel_lab", period=["2004-03-01", "2004-03-01"])
    files = {path.name: path.read_bytes() for path in loader.write_standin(folder)}
    common = dict(dataset="intel_lab", settings=settings, reader=readers.intel_readings, sep=" ", header=1)
    yield Subject(
        "Intel stand-in, readings",
        files=files,
        target="data.txt.gz",
        value=(4, 7),
        day=0,
        free_order=True,
        **common,
    )
    yield Subject(
        "Intel stand-in, places",
        files=files,
        target="mote_locs.txt",
        value=(0, 1, 2),
        free_order=True,
        **common,
    )
    rng = np.random.default_rng(54)
    made = {
        name: "".join(
            ",".join(f"{v:.2E}" for v in row) + "\n" for row in rng.uniform(16, 28, (50, columns))
        ).encode()
        for name, columns in (("intelTemperatureTrain.csv", 144), ("intelTemperatureTest.csv", 96))
    }
    yield _matrices("Intel stand-in, matrices", settings, made)


def _matrices(name, settings, files, **more):
    # the two matrices cover five days
    settings = settings | {"period": ["2004-03-01", "2004-03-05"], "bin_minutes": 30}
    return Subject(
        name,
        dataset="intel_lab",
        settings=settings,
        reader=readers.intel_matrices,
        files=files,
        target="intelTemperatureTrain.csv",
        header=0,
        value=tuple(range(144)),
        **more,
    )


def _freeway_settings():
    return {
        "loader": "freeway_speed",
        "raw": "data/raw/freeway_speed",
        "source": "file",
        "coordinates": "index",
        "train_fraction": 0.7,
        "first_day": "2012-03-01",
        "sensors": None,
        "window_steps": 84,
    }


def _freeway(folder, files=None, name="freeway stand-in", **more):
    if files is None:
        loader = datasets.make("freeway_speed")
        files = {path.name: path.read_bytes() for path in loader.write_standin(folder)}
    common = dict(dataset="freeway_speed", settings=_freeway_settings(), reader=readers.freeway)
    width = files["los_speed.csv"].split(b"\n")[0].count(b",") + 1
    yield Subject(
        f"{name}, speeds",
        files=files,
        target="los_speed.csv",
        value=tuple(range(width)),
        **common,
        **more,
    )
    yield Subject(
        f"{name}, places",
        files=files,
        target="graph_sensor_locations.csv",
        value=(2, 3),
        needed=(1, 2, 3),
        free_order=True,
        **common,
        **more,
    )


def _berkeley(folder):
    loader = datasets.make("berkeley_earth")
    path = loader.write_standin(folder)[0]
    settings = {
        "loader": "berkeley_earth",
        "raw": "data/raw/berkeley_earth",
        "source": "file",
        "coordinates": "degrees",
        "region": [0, 44, 4, 48],
        "land_fraction": 0.5,
        "period": ["1963-04", "2025-10"],
        "train_fraction": 0.2,
        "coverage": 0.9,
    }
    return Subject(
        "Berkeley stand-in",
        "berkeley_earth",
        settings,
        readers.berkeley,
        {path.name: path.read_bytes()},
        path.name,
    )


def _real(shared):
    base = next(_ozone_settings())
    daily = shared / "epa_daily" / "download_daily"
    found = []
    for name, state in (
        ("ozone_NC_2019.csv", "North Carolina"),
        ("ozone_NY_2023.csv", "New York"),
        ("ozone_IL_2000_multi_poc.csv", "Illinois"),
        ("ozone_NY_bronx_360050133_2018.csv", "New York"),
    ):
        content = (daily / name).read_bytes()
        header = next(csv.reader([content.decode("utf-8-sig").splitlines()[0]]))
        plain = [text.lower().replace("_", " ") for text in header]
        needed = (
            "date",
            "daily max 8-hour ozone concentration",
            "units",
            "poc",
            "state",
            "aqs parameter code",
            "site latitude",
            "site longitude",
        )
        label = next((n for n in ("site name", "local site name") if n in plain), None)
        found.append(
            Subject(
                f"real {name}",
                "ozone",
                base | {"state": state, "coverage": 0.6},
                readers.ozone,
                {name: content},
                name,
                value=(plain.index(needed[1]),),
                day=plain.index("date"),
                unit=plain.index("units"),
                text=plain.index(label) if label else None,
                needed=tuple(plain.index(text) for text in needed),
                free_order=True,
                real=True,
            )
        )
    sample = (shared / "epa_daily" / "airdata" / "daily_44201_2021_sample.csv").read_bytes()
    found.append(
        Subject(
            "real AirData sample",
            "ozone",
            base | {"state": "Alabama", "train_fraction": 0.5},
            readers.ozone,
            {"daily_44201_2021_sample.csv": sample},
            "daily_44201_2021_sample.csv",
            value=(17,),
            day=11,
            unit=12,
            text=22,
            needed=(0, 1, 2, 11, 12, 17),
            free_order=True,
            real=True,
        )
    )
    names = ("intelTemperatureTrain.csv", "intelTemperatureTest.csv")
    files = {name: (shared / "intel_lab" / name).read_bytes() for name in names}
    intel = {
        "loader": "intel_lab",
        "raw": "data/raw/intel_lab",
        "source": "file",
        "coordinates": "index",
        "train_fraction": 0.5,
        "coverage": 0.9,
        "plausible": [0, 50],
        "least_voltage": 2.3,
    }
    found.append(_matrices("real Intel matrices", intel, files, real=True))
    names = ("los_speed.csv", "graph_sensor_locations.csv")
    files = {name: (shared / "traffic" / name).read_bytes() for name in names}
    return [*found, *_freeway(None, files, "real freeway", real=True)]


def _ozone_settings():
    yield {
        "loader": "ozone",
        "raw": "data/raw/ozone",
        "source": "file",
        "coordinates": "km",
        "train_fraction": 0.3333,
        "state": "New York",
        "coverage": 0.75,
    }


def drawn(subject: Subject, rng, folder: Path, round_number: int) -> Mutation:
    """One mutation of a subject; kinds take turns, the rest is drawn."""
    kinds = TEXT + (CONTAINERS if subject.inner else (bomb, bomb) if subject.target.endswith(".gz") else ())
    if subject.target.endswith(".nc"):
        kinds = NETCDF + NETCDF_BYTES
    kind = kinds[round_number % len(kinds)]
    while True:
        edits = kind in NETCDF
        mutation = kind(subject, rng, folder) if edits else kind(subject, rng)
        if mutation is not None:
            pinned = "sha256" in subject.settings
            return replace(mutation, oracle=REFUSED, place="") if pinned else mutation
        kind = kinds[int(rng.integers(len(kinds)))]
