"""Raw files: which exist, where they come from, and whether they are what their names say.

The raw files of a dataset lie in a folder (data/raw/<...>). The user put them there, or a download
did, which `.downloads.json` in the same folder records. `obtain` chooses between existing files, a
download, the package's extract of real data and a stand-in; the caller passes in `fetch`, the only
access to the network.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tvgp.study.data import csv_tables
from tvgp.study.execution import files

RECORD = ".downloads.json"
_NETCDF = (b"\x89HDF\r\n\x1a\n", b"CDF\x01", b"CDF\x02", b"CDF\x05")


Fetch = Callable[[str, Path, int | None, str | None, bool], None]
Write = Callable[[], list[Path]] | None
Say = Callable[[str], None]


class Unavailable(ValueError):
    """A failed download: no network, refused, too large, or an invalid file."""


def present(folder: str | Path, patterns: Iterable[str]) -> list[Path]:
    """Files of the folder that match one of the patterns, sorted by name, without hidden files."""
    folder = Path(folder)
    found = {p for pattern in patterns for p in folder.glob(pattern) if p.is_file()}
    return sorted(p for p in found if not p.name.startswith("."))


def dropped(folder: str | Path, patterns: Iterable[str]) -> list[Path]:
    """The files that the user put into the folder: all that no study has downloaded.

    Files that `make data` fetched count as the user's (see `keep`).
    """
    record = _record(folder)
    return [
        path
        for path in present(folder, patterns)
        if record.get(path.name, {}).get("kept") or not is_fetched(path, record)
    ]


def contents(paths: Iterable[Path]) -> list[list[str | int]]:
    """[name, bytes, sha256] of each file: what a dataset depends on, whatever the files' times."""
    return [[path.name, path.stat().st_size, digest(path)] for path in paths]


def keep(folder: str | Path, patterns: Iterable[str]) -> None:
    """Mark fetched files as the user's.

    A study that uses a stand-in does not try the network again, but notices files of the user.
    """
    record = _record(folder)
    for path in present(folder, patterns):
        if path.name in record:
            record[path.name]["kept"] = True
    files.write_object(Path(folder) / RECORD, record)


def is_fetched(path: Path, record: Mapping[str, Any] | None = None) -> bool:
    """Whether this file is a download, unchanged. record: of its folder, None to read it."""
    known = (_record(path.parent) if record is None else record).get(path.name, {})
    return known.get("bytes") == path.stat().st_size and known.get("sha256") == digest(path)


def digest(path: Path) -> str:
    """sha256 of a file; computed once per process while size, time and inode stay the same."""
    status = path.stat()
    return _digest(path, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=256)
def _digest(path: Path, *_status: int) -> str:
    return files.digest(path)


def urls_of(settings: Mapping[str, Any]) -> list[str]:
    """URLs of a dataset: `url` as a string or a list, with {year} replaced by each of `years`."""
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
    settings: Mapping[str, Any],
    patterns: Iterable[str],
    fetch: Fetch,
    write_extract: Write,
    write_standin: Write,
    say: Say,
) -> tuple[str, list[dict], str]:
    """Find, fetch, extract or stand in for the raw files of a dataset.

    settings: the dataset's mapping in the configuration (source, raw, url, years, sha256,
    max_download_mb); fetch(url, target, max_bytes, sha256, patient): writes a complete, checked
    file to `target` or raises Unavailable; write_extract(), write_standin(): write the package's
    extract of real data or the stand-in, None if the dataset has none; say(text): shows the user a line.

    Returns (source "real" or "standin", entries {path, bytes, sha256, url}, note).
    ValueError, one line, if the configured source yields no file.
    """
    source, folder = settings.get("source", "auto"), Path(settings["raw"])
    remedy = f"put {' or '.join(patterns)} into {folder}/ (see data/raw/README.md)"
    if source not in ("auto", "download", "extract", "standin", "file"):
        raise ValueError(f"source {source!r} is not one of: auto, download, extract, standin, file")
    if source == "extract" and write_extract is not None:
        return _written("real", write_extract, "the configuration asks for the package's real data", say)
    if source in ("extract", "standin"):
        return _written("standin", write_standin, f"the configuration asks for source {source}", say)
    if source == "file" or (source == "auto" and dropped(folder, patterns)):
        paths = present(folder, patterns)
        if not paths:
            raise ValueError(f"{folder}/: no raw file, and source is `file`; {remedy}")
        note = f"{len(paths)} raw file(s) found in {folder}/"
        say(note)
        for path in paths:
            _check_pin(settings, path)
        return "real", [entry(path, _record(folder)) for path in paths], note
    try:
        paths = _download(settings, folder, fetch, say)
    except Unavailable as reason:
        if source == "download":
            raise ValueError(f"{reason}; {remedy}, or set source: standin") from None
        if write_extract is not None:
            note = f"no download ({reason}); using the package's real data"
            return _written("real", write_extract, note, say)
        note = f"no real data ({reason}); using the stand-in. For real results {remedy}"
        return _written("standin", write_standin, note, say)
    return "real", [entry(path, _record(folder)) for path in paths], "downloaded"


def entry(path: Path, record: dict | None = None) -> dict:
    """The manifest's entry for a file: path, bytes, sha256, url (null if unknown)."""
    sha256 = digest(path)
    known = (record or {}).get(path.name, {})
    url = known.get("url") if known.get("sha256") == sha256 else None
    return {"path": path.as_posix(), "bytes": path.stat().st_size, "sha256": sha256, "url": url}


def check(path: str | Path, name: str | None = None) -> None:
    """Raise ValueError, one line, for a file that does not match its suffix (.zip, .nc, .csv).

    name: the name to check and to report, if the file still has a temporary name.
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
    if label.lower().endswith(".zarr.zip"):
        if not zipfile.is_zipfile(path):
            raise ValueError(f"{label}: not a zip file, or truncated")
    elif suffix == ".zip":
        with csv_tables.tables(path, label):
            pass
    elif suffix == ".nc":
        _check_netcdf(path, label, head)


def write_manifest(path: str | Path, dataset: str, result: tuple[str, list[dict], str]) -> None:
    """Write raw.json: dataset, source, note and the raw files with size, sha256 and URL."""
    source, entries, note = result
    content = {"dataset": dataset, "source": source, "note": note, "files": entries}
    files.write_object(path, content)


def read_manifest(path: str | Path) -> dict:
    """Read raw.json. ValueError if it is damaged, or a raw file is missing or has changed."""
    content = files.read_object(path)
    for listed in content["files"]:
        file = Path(listed["path"])
        if not file.is_file() or digest(file) != listed["sha256"]:
            raise ValueError(
                f"{file}: missing or changed since {path} was written;"
                f" delete {path} and run the same command again"
            )
    return content


def _record(folder: str | Path) -> dict:
    """The content of a folder's `.downloads.json`: file name -> url, sha256, bytes.

    Without a record all files count as the user's. ValueError for a damaged one."""
    path = Path(folder) / RECORD
    return files.read_object(path) if path.exists() else {}


def _download(settings: Mapping[str, Any], folder: Path, fetch: Fetch, say: Say) -> list[Path]:
    """Fetch the dataset's missing files and return the paths of all. Unavailable on failure."""
    urls = urls_of(settings)
    if not urls:
        raise Unavailable("no url is configured")
    limit = settings.get("max_download_mb")
    budget = None if limit is None else int(limit * 1e6)
    paths = []
    for url in urls:
        path = folder / _file_name(url)
        paths.append(path)
        if path.is_file() and _record(folder).get(path.name, {}).get("url", url) == url:
            _check_pin(settings, path)
            continue
        if budget is not None and budget <= 0:
            raise Unavailable(f"{path.name} would exceed the download limit of {limit:g} MB")
        say(f"downloading {url}")
        folder.mkdir(parents=True, exist_ok=True)
        fetch(url, path, budget, _pin(settings, path), settings.get("source") == "download")
        size = path.stat().st_size
        fresh = {"url": url, "sha256": digest(path), "bytes": size}
        files.write_object(folder / RECORD, {**_record(folder), path.name: fresh})
        if budget is not None:
            budget -= size
    return paths


def _pin(settings: Mapping[str, Any], path: Path) -> str | None:
    """The sha256 that the configuration gives for a file, None if it gives none."""
    sums = settings.get("sha256") or {}
    return sums.get(path.name) if isinstance(sums, dict) else sums


def _check_pin(settings: Mapping[str, Any], path: Path) -> None:
    expected = _pin(settings, path)
    if expected and digest(path) != expected:
        raise ValueError(
            f"{path}: its sha256 differs from {expected} in the configuration; restore the file, or correct"
            " the sha256 there if the change is meant (add-data --replace does)"
        )


def _file_name(url: str) -> str:
    """The file name of a URL: its last part, which must be a plain name."""
    name = re.sub(r"[?#].*", "", url).rpartition("/")[2]
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.()+%-]{0,120}", name):
        raise ValueError(f"datasets: {url}: its last part {name!r} is not a file name")
    return name


def _written(source: str, write: Write, note: str, say: Say) -> tuple[str, list[dict], str]:
    """The package's extract of real data, or the stand-in; ValueError if the dataset has none."""
    if write is None:
        raise ValueError(f"{note}: the dataset has no stand-in")
    say(note)
    return source, [entry(path) for path in write()], note


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
        raise ValueError(f"{label}: truncated NetCDF file, its header announces {size} bytes")
