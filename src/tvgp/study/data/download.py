"""Fetch the raw files of datasets. No other module touches the network.

`obtain` serves the rule `download`, `everything` serves `make data`, `obstacle` serves `tvgp doctor`.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin

import pooch
import requests
from urllib3.exceptions import ProtocolError

from tvgp.study.data import raw_files

ATTEMPTS, PAUSE = 4, 1.0  # attempts per file; seconds before the second attempt, doubling
SHORT, LONG = (4.0, 10.0), (30.0, 30.0)  # seconds to connect, seconds without a byte
DRIP, SLOWEST = 30.0, 1000  # seconds after which the mean must exceed this many bytes per second
RESOLVER = "timeout:2 attempts:2"  # resolv.conf(5): no socket timeout covers the name servers


class _Transient(requests.RequestException):
    """A failure that another attempt may not meet."""


def fetch(
    url: str,
    target: Path,
    max_bytes: int | None = None,
    sha256: str | None = None,
    patient: bool = False,
) -> None:
    """Download a URL to `target` and check the file; raise raw_files.Unavailable on failure.

    An interrupted download resumes, in this run or a later one, if the server still has the same
    file. patient: allow long delays, because the dataset has no other source; otherwise the
    attempt ends within seconds and the package's real data or a stand-in is used.
    """
    if not patient:
        os.environ.setdefault("RES_OPTIONS", RESOLVER)
    part = _Part(url, target, max_bytes)
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            part.transfer(LONG if patient else SHORT)
            break
        except requests.RequestException as error:
            reason = part.reason(error, patient)
    else:
        raise raw_files.Unavailable(f"{url}: gave up after {ATTEMPTS} attempts ({reason})")
    part.tag.unlink(missing_ok=True)
    try:
        if sha256 and pooch.file_hash(part.path) != sha256:
            raise ValueError(f"its sha256 differs from {sha256} in the configuration")
        raw_files.check(part.path, target.name)
    except ValueError as error:
        part.path.unlink()
        raise raw_files.Unavailable(f"{url}: refused, {error}") from None
    os.replace(part.path, target)


def obstacle(url: str) -> str | None:
    """Why a URL cannot be fetched, from its headers alone; None if it can."""
    os.environ.setdefault("RES_OPTIONS", RESOLVER)
    try:
        status = requests.head(url, timeout=SHORT, allow_redirects=True).status_code
    except requests.RequestException as error:
        return f"no connection ({type(error).__name__})"
    return None if status < 400 else f"the server answered {status}"


class _Part:
    """A partial download, written by pooch; it survives an interruption.

    Its tag, a file in the same folder, has two lines: the URL and the server's validator.
    """

    def __init__(self, url: str, target: Path, max_bytes: int | None) -> None:
        self.url, self.name, self.max_bytes = url, target.name, max_bytes
        self.path = target.with_name(f".part-{target.name}")
        self.tag = self.path.with_name(f"{self.path.name}.tag")
        self.stream: BinaryIO | None = None  # open while the body of an accepted response arrives
        self.size, self.total = 0, -1  # bytes received and in total, -1 if the server does not say

    def transfer(self, limits: tuple[float, float]) -> None:
        """One attempt: the whole file, or the rest of it."""
        headers, self.size, self.stream = {"Accept-Encoding": "identity"}, 0, None
        if self.tag.is_file() and self.path.is_file():
            url, _, self.validator = self.tag.read_text(errors="replace").partition("\n")
            self.size = self.path.stat().st_size if self.validator and url == self.url else 0
        if self.size:
            headers |= {"Range": f"bytes={self.size}-", "If-Range": self.validator}
        hooks = {"response": self.inspect}
        load = pooch.HTTPDownloader(chunk_size=1 << 13, timeout=limits, headers=headers, hooks=hooks)
        try:
            load(self.url, self, None)
        finally:
            if self.stream:
                os.fsync(self.stream.fileno())
                self.stream.close()
        if self.total not in (-1, self.size):
            raise _Transient(f"{self.size} of {self.total} bytes received")

    def inspect(self, response: requests.Response, **_: object) -> None:
        """Accept, retry or refuse the response by its status and headers, before the body."""
        status, headers = response.status_code, response.headers
        if response.is_redirect:
            target = urljoin(response.url, headers["Location"])
            if response.url.startswith("https:") and not target.startswith("https:"):
                raise raw_files.Unavailable(f"{self.url}: refused redirect to {target[:100]!r}")
            return
        if status in (408, 429) or status >= 500:
            raise _Transient(f"the server answered {status}")
        etag, length = headers.get("ETag", ""), headers.get("Content-Length", "")
        validator = etag if etag.startswith('"') else headers.get("Last-Modified", "")
        self.total = int(length) if length.isdecimal() else -1
        if self.total == -1:
            headers["Content-Length"] = "0"  # pooch expects a number
        if status == 206:
            span = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", headers.get("Content-Range", ""))
            first, last, self.total = map(int, span.groups()) if span else (-1, -1, -1)
        if (
            status == 416
            or status == 206
            and (not self.size or (first, last, validator) != (self.size, self.total - 1, self.validator))
        ):
            self.tag.unlink(missing_ok=True)
            raise _Transient("the server resumed at the wrong offset or with another file")
        if status not in (200, 206):
            raise raw_files.Unavailable(f"{self.url}: the server answered {status}")
        if "text/html" in headers.get("Content-Type", "").lower():
            raise raw_files.Unavailable(f"{self.url}: received a web page instead of a data file")
        if headers.get("Content-Encoding", "identity") != "identity":
            raise raw_files.Unavailable(f"{self.url}: unexpected Content-Encoding")
        self._refuse_large(self.total)
        self.tag.write_text(f"{self.url}\n{validator}")
        self.stream = open(self.path, "ab" if status == 206 else "wb")
        self.size = self.before = self.stream.tell()
        self.begun = self.shown = time.monotonic()

    def write(self, block: bytes) -> None:
        """Append a block. pooch calls `write` and `flush` as on an open file."""
        assert self.stream
        self.stream.write(block)
        self.size += len(block)
        self._refuse_large(self.size)
        now = time.monotonic()
        seconds, received = now - self.begun, self.size - self.before
        if seconds > DRIP and received < SLOWEST * seconds:
            raise _Transient(f"{received} bytes received in {seconds:.0f} s")
        terminal = sys.stderr.isatty()
        if now - self.shown > (0.2 if terminal else 10.0):
            self.shown = now
            total = f" of {self.total / 1e6:.1f}" if self.total > 0 else ""
            end = "\r" if terminal else "\n"
            sys.stderr.write(f"{self.name}: {self.size / 1e6:.1f}{total} MB{end}")

    def flush(self) -> None:
        """Blocks reach the disk at the end of an attempt."""

    def reason(self, error: requests.RequestException, patient: bool) -> str:
        """Why an attempt failed; raises Unavailable if a retry would fail as well."""
        cause = error.args[0] if error.args else None
        if self.stream or isinstance(error, _Transient) or isinstance(cause, ProtocolError):
            return str(error)
        if isinstance(error, requests.ReadTimeout) and patient:
            return f"no answer within {LONG[1]:g} s"
        if isinstance(error, requests.ReadTimeout):
            raise raw_files.Unavailable(f"{self.url}: no answer within {SHORT[1]:g} s")
        if isinstance(error, requests.ConnectionError):
            raise raw_files.Unavailable(f"{self.url}: no connection")
        raise raw_files.Unavailable(f"{self.url}: refused, {error}")

    def _refuse_large(self, size: int) -> None:
        if self.max_bytes is not None and size > self.max_bytes:
            self.path.unlink(missing_ok=True)
            self.tag.unlink(missing_ok=True)
            limit = f"the limit is {self.max_bytes / 1e6:.0f} MB"
            raise raw_files.Unavailable(f"{self.name} has at least {size / 1e6:.0f} MB, {limit}")


def obtain(
    dataset: str,
    settings: Mapping[str, Any],
    patterns: Sequence[str],
    write_extract: Callable[[str | Path], list[Path]] | None,
    write_standin: Callable[[str | Path], list[Path]] | None,
    manifest: Path,
    log: Path,
) -> None:
    """Find, fetch, extract or stand in for the raw files of a dataset; write their manifest.

    patterns: file name patterns of its raw files; write_extract(folder), write_standin(folder): None if
    the package has no real data for it, or no stand-in.
    """

    def say(text: str) -> None:
        sys.stderr.write(f"{dataset}: {text}\n")
        with open(log, "a", encoding="utf-8") as stream:
            stream.write(f"{text}\n")

    extract = partial(write_extract, manifest.parent / "extract") if write_extract else None
    standin = partial(write_standin, manifest.parent / "standin") if write_standin else None
    try:
        result = raw_files.obtain(settings, patterns, fetch, extract, standin, say)
    except ValueError as error:
        raise ValueError(f"{dataset}: {error}") from None
    raw_files.write_manifest(manifest, dataset, result)


def everything(sources: Mapping[str, tuple[Mapping[str, Any], Sequence[str]]]) -> int:
    """Fetch each dataset that has a URL and no files of the user; return 1 after a failure, else 0.

    sources: for each dataset, its settings and the file name patterns of its raw files.
    """
    failed = 0
    for name, (settings, patterns) in sources.items():
        own = [
            path for path in raw_files.present(settings["raw"], patterns) if not raw_files.is_fetched(path)
        ]
        if own or not settings.get("url"):
            print(f"{name}: {len(own)} file(s) in {settings['raw']}/, nothing to download")
            continue
        try:
            raw_files.obtain({**settings, "source": "download"}, patterns, fetch, None, None, print)
            raw_files.keep(settings["raw"], patterns)
            print(f"{name}: complete in {settings['raw']}/")
        except ValueError as error:
            print(f"ERROR: {name}: {error}", file=sys.stderr)
            failed = 1
    return failed
