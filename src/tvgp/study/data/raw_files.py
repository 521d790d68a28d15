"""Raw files: which are there, where they come from, and whether they are what they claim to be.

A dataset's raw files lie in a folder (data/raw/<...>): dropped there by the user, or fetched, in
which case `.downloads.json` beside them records the address. `obtain` decides between them, a
download and a stand-in; the network itself stays with the caller, who passes in `fetch`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from tvgp.study import files as atomic

MAX_TABLE_BYTES = 1 << 29  # AirData years are about 130 MB unpacked
MAX_RATIO, RATIO_FROM = 100, 1 << 20  # of unpacked to packed bytes; real tables have 5 to 30
MAX_MEMBERS = 50
MAX_LINE, MAX_LINES = 1 << 16, 3_000_000  # an AirData year has 400 000 lines
RECORD = ".downloads.json"
_NETCDF = (b"\x89HDF\r\n\x1a\n", b"CDF\x01", b"CDF\x02", b"CDF\x05")
_ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)


class Unavailable(ValueError):
    """A download that cannot be had: no network, refused, too large, not what was promised."""


def present(folder: str | Path, patterns: Iterable[str]) -> list[Path]:
    """Files of the folder that match one of the patterns, sorted by name; hidden ones do not."""
    folder = Path(folder)
    found = {p for pattern in patterns for p in folder.glob(pattern) if p.is_file()}
    return sorted(p for p in found if not p.name.startswith("."))


def dropped(folder: str | Path, patterns: Iterable[str]) -> list[Path]:
    """The files that a user put there: those that no download of a study has left.

    Files fetched on request (`keep`) are among them.
    """
    fetched = _record(folder)
    return [
        path
        for path in present(folder, patterns)
        if fetched.get(path.name, {}).get("kept")
        or fetched.get(path.name, {}).get("bytes") != path.stat().st_size
    ]


def keep(folder: str | Path, patterns: Iterable[str]) -> None:
    """Count fetched files as put there by the user, so that studies take notice of them.

    A study does not look for a network again once it has settled for a stand-in.
    """
    fetched = _record(folder)
    for path in present(folder, patterns):
        if path.name in fetched:
            fetched[path.name]["kept"] = True
    atomic.write_text(Path(folder) / RECORD, json.dumps(fetched, indent=1, sort_keys=True) + "\n")


def is_fetched(path: Path) -> bool:
    """Whether a download of ours has left this file."""
    return _record(path.parent).get(path.name, {}).get("bytes") == path.stat().st_size


def addresses(settings: dict) -> list[str]:
    """The addresses of a dataset: `url`, one or a list, or one for each of `years` by {year}."""
    url = settings.get("url")
    if not url:
        return []
    if isinstance(url, list):
        return url
    if "{year}" not in url:
        return [url]
    years = settings.get("years")
    if not years:
        raise ValueError("datasets: a url with {year} needs a list `years`")
    return [url.replace("{year}", str(year)) for year in years]


def obtain(
    settings: dict,
    patterns: Iterable[str],
    fetch: Callable[[str, Path, int | None, str | None, bool], None],
    write_standin: Callable[[], list[Path]] | None,
    say: Callable[[str], None],
) -> tuple[str, list[dict], str]:
    """Find, fetch or stand in for the raw files of a dataset.

    settings: the dataset's mapping in the configuration (source, raw, url, years, sha256,
    max_download_mb); fetch(url, target, max_bytes, sha256, patient): puts a whole, checked file
    at `target` or raises Unavailable; write_standin(): writes the stand-in, None where a dataset
    has none; say: takes a line for the user.

    Returns (source "real" or "standin", entries {path, bytes, sha256, url}, note).
    ValueError, one line, where the configured source has nothing to give.
    """
    source, folder = settings.get("source", "auto"), Path(settings["raw"])
    drop = f"drop {' or '.join(patterns)} into {folder}/ (see data/raw/README.md)"
    if source not in ("auto", "download", "standin", "file"):
        raise ValueError(f"source {source!r} is not one of: auto, download, standin, file")
    if source == "standin":
        return _stand_in(write_standin, "stand-in asked for by the configuration", say)
    if source == "file" or (source == "auto" and dropped(folder, patterns)):
        files = present(folder, patterns)
        if not files:
            raise ValueError(f"{folder}/: no raw file there and source is `file`; {drop}")
        note = f"{len(files)} raw file(s) found in {folder}/"
        say(note)
        entries = [entry(path, _record(folder)) for path in files]
        for path, found in zip(files, entries, strict=True):
            _check_pin(settings, path, found["sha256"])
        return "real", entries, note
    try:
        files = _download(settings, folder, fetch, say)
    except Unavailable as reason:
        if source == "download":
            raise ValueError(f"{reason}; {drop}, or set source: standin") from None
        note = f"no real data ({reason}); using the stand-in. For real results {drop}"
        return _stand_in(write_standin, note, say)
    return "real", [entry(path, _record(folder)) for path in files], "downloaded"


def entry(path: Path, fetched: dict | None = None) -> dict:
    """What a manifest says of one file: path, bytes, sha256, url (null where it is not known)."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    sha256 = digest.hexdigest()
    known = (fetched or {}).get(path.name, {})
    url = known.get("url") if known.get("sha256") == sha256 else None
    return {"path": path.as_posix(), "bytes": path.stat().st_size, "sha256": sha256, "url": url}


def check(path: str | Path, name: str | None = None) -> None:
    """Refuse a file that is not what its suffix says (.zip, .nc, .csv), in one line.

    name: the name to judge and to report by, where the file still has a temporary one.
    Catches empty files, web pages, truncated or dangerous zips and truncated NetCDF files.
    """
    label = str(name or path)
    suffix = Path(label).suffix.lower()
    with open(path, "rb") as stream:
        head = stream.read(1024)
    if not head.strip():
        raise ValueError(f"{label}: the file is empty")
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<error", b"<!--")):
        raise ValueError(f"{label}: this is a web page or an XML message, not a data file")
    if suffix == ".zip":
        with tables(path, label):
            pass
    elif suffix == ".nc":
        _check_netcdf(path, label, head)


@contextmanager
def tables(path: str | Path, label: str | None = None) -> Iterator[list[tuple[str, TextIO]]]:
    """The CSV tables in a .csv or .zip file: pairs of a label for messages and a text stream.

    Nothing is unpacked to disk. ValueError for a file that is no zip or is cut short, and for
    one with too many or too large members, names that leave the folder, or without a CSV.
    """
    label = label or str(path)
    if Path(label).suffix.lower() != ".zip":
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as stream:
            yield [(label, stream)]
        return
    try:
        archive = zipfile.ZipFile(path)
    except (*_ZIP_FAULTS, ValueError, OSError):
        raise ValueError(f"{label}: not a zip file, or cut short") from None
    with archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        _check_members(label, members)
        chosen = [m for m in members if m.filename.lower().endswith(".csv")]
        if not chosen:
            raise ValueError(f"{label}: no CSV file inside")
        try:
            yield [
                (
                    f"{label}:{member.filename}",
                    io.TextIOWrapper(
                        archive.open(member), encoding="utf-8-sig", errors="replace", newline=""
                    ),
                )
                for member in chosen
            ]
        except (*_ZIP_FAULTS, OSError) as error:
            raise ValueError(f"{label}: damaged zip file ({error})") from None


def records(stream: TextIO, label: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of a CSV table with the number of the line each starts on; blank lines are skipped.

    ValueError, naming file and line, for a row that is longer or shorter than the header, broken
    quoting, an over-long line, and a table larger than MAX_TABLE_BYTES.
    """
    reader = csv.reader(_lines(stream, label), strict=True)
    width, start = 0, 1
    try:
        for row in reader:
            if row:
                width = width or len(row)
                if len(row) != width:
                    raise ValueError(
                        f"{label}, line {start}: {len(row)} fields, the header has {width}"
                        " (row cut short, or a comma outside quotes)"
                    )
                yield start, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{label}, line {start}: not a CSV row ({error})") from None


def number(text: str | bytes) -> float:
    """The number in a cell, NaN for any other text (Python itself would also take 4_0)."""
    try:
        odd = (b"_" if isinstance(text, bytes) else "_") in text or not text.isascii()
        return math.nan if odd else float(text)
    except ValueError:
        return math.nan


def refuse_bomb(unpacked: int, packed: int, label: str) -> None:
    """ValueError for what unpacks to so much more than it is that no table can be in it."""
    if unpacked > RATIO_FROM and unpacked > MAX_RATIO * packed:
        raise ValueError(f"{label}: {packed} bytes unpack to {unpacked} or more, refused")


def write_manifest(path: str | Path, dataset: str, found: tuple[str, list[dict], str]) -> None:
    """Write raw.json: dataset, source, note and the raw files with size, checksum and address."""
    source, files, note = found
    content = {"dataset": dataset, "source": source, "note": note, "files": files}
    atomic.write_text(path, json.dumps(content, indent=1) + "\n")


def read_manifest(path: str | Path) -> dict:
    """Read raw.json and see that its files are still there, with the same size."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        files = [(Path(item["path"]), item["bytes"]) for item in content["files"]]
        content["source"], content["dataset"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{path}: not a manifest of raw files ({error!r})") from None
    for file, size in files:
        if not file.is_file() or file.stat().st_size != size:
            raise ValueError(f"{file}: gone or changed since {path} was written; delete {path}")
    return content


def _record(folder: str | Path) -> dict:
    """What `.downloads.json` in a folder knows: file name -> url, sha256, bytes."""
    try:
        content = json.loads((Path(folder) / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    known = content.items() if isinstance(content, dict) else ()
    return {name: told for name, told in known if isinstance(told, dict)}


def _download(settings: dict, folder: Path, fetch, say) -> list[Path]:
    """Fetch what is missing of the dataset's addresses; all of the files. Unavailable if not."""
    urls = addresses(settings)
    if not urls:
        raise Unavailable("no url is configured")
    limit = settings.get("max_download_mb")
    budget = None if limit is None else int(limit * 1e6)
    files = []
    for url in urls:
        path = folder / _file_name(url)
        expected = _pin(settings, path)
        files.append(path)
        if path.is_file() and _record(folder).get(path.name, {}).get("url", url) == url:
            if expected:
                _check_pin(settings, path, entry(path)["sha256"])
            continue
        if budget is not None and budget <= 0:
            raise Unavailable(f"{path.name} would exceed the download limit of {limit:g} MB")
        say(f"downloading {url}")
        folder.mkdir(parents=True, exist_ok=True)
        fetch(url, path, budget, expected, settings.get("source") == "download")
        fresh = {**entry(path), "url": url}
        fetched = {**_record(folder), path.name: {k: fresh[k] for k in ("url", "sha256", "bytes")}}
        atomic.write_text(folder / RECORD, json.dumps(fetched, indent=1, sort_keys=True) + "\n")
        if budget is not None:
            budget -= fresh["bytes"]
    return files


def _pin(settings: dict, path: Path) -> str | None:
    """The sha256 that the configuration expects of a file, None where it names none."""
    sums = settings.get("sha256") or {}
    return sums.get(path.name) if isinstance(sums, dict) else sums


def _check_pin(settings: dict, path: Path, sha256: str) -> None:
    expected = _pin(settings, path)
    if expected and sha256 != expected:
        raise ValueError(f"{path}: its sha256 is not {expected}, the one in the configuration")


def _file_name(url: str) -> str:
    """The name under which an address is kept: its last part, which must be a plain name."""
    name = re.sub(r"[?#].*", "", url).rpartition("/")[2]
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.()+%-]{0,120}", name):
        raise ValueError(f"datasets: {url}: its last part {name!r} is no file name")
    return name


def _stand_in(write_standin, note: str, say) -> tuple[str, list[dict], str]:
    if write_standin is None:
        raise ValueError(f"{note}: this dataset has no stand-in")
    say(note)
    return "standin", [entry(path) for path in write_standin()], note


def _check_members(label: str, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise ValueError(f"{label}: {len(members)} files inside, at most {MAX_MEMBERS} expected")
    size = sum(member.file_size for member in members)
    if size > MAX_TABLE_BYTES:
        raise ValueError(f"{label}: unpacks to {size / 1e6:.0f} MB, refused as too large")
    for member in members:
        refuse_bomb(member.file_size, member.compress_size, f"{label}:{member.filename}")
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
            raise ValueError(f"{label}: member {member.filename!r} points outside the archive")
        if member.flag_bits & 1:
            raise ValueError(f"{label}: member {member.filename!r} is encrypted")


def _check_netcdf(path: str | Path, label: str, head: bytes) -> None:
    import netCDF4

    if not head.startswith(_NETCDF):
        raise ValueError(f"{label}: not a NetCDF file (wrong first bytes)")
    try:
        with netCDF4.Dataset(path) as file:
            classic = not file.data_model.startswith("NETCDF4") or head.startswith(b"CDF")
            size = sum(v.size * v.dtype.itemsize for v in file.variables.values() if classic)
    except (OSError, RuntimeError, AttributeError) as error:
        raise ValueError(f"{label}: damaged or truncated NetCDF file ({error})") from None
    # The C library reads zeros beyond the end of a classic file instead of failing.
    if size > Path(path).stat().st_size:
        raise ValueError(f"{label}: truncated NetCDF file, its header promises {size} bytes")


def _lines(stream: TextIO, label: str) -> Iterator[str]:
    """Lines of a text stream, with limits that a real table never meets."""
    number = size = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        size += len(line)
        if len(line) >= MAX_LINE:
            raise ValueError(f"{label}, line {number}: longer than {MAX_LINE} characters")
        if size > MAX_TABLE_BYTES:
            raise ValueError(f"{label}: more than {MAX_TABLE_BYTES / 1e6:.0f} MB of text, refused")
        if number > MAX_LINES:
            raise ValueError(f"{label}: more than {MAX_LINES} lines, refused")
        yield line
