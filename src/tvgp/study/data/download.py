"""Fetch the raw files of datasets. No other module touches the network.

`obtain` serves the rule `download`, `everything` serves `make data`, `obstacle` serves `tvgp doctor`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pooch
import requests
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from tvgp.study.data import raw_files
from tvgp.study.execution import files

ATTEMPTS, PAUSE = 4, 1.0  # attempts per file; seconds before the second attempt, doubling
SHORT, LONG = (4.0, 10.0), (30.0, 30.0)  # seconds to connect, seconds without a byte
CHUNK = 1 << 13  # bytes
SHOWN_EVERY = (0.2, 10.0)  # seconds between lines of progress, on a terminal and in a log
RESOLVER = "timeout:2 attempts:2"  # resolv.conf(5): no socket timeout covers the name servers


def fetch(
    url: str,
    target: Path,
    max_bytes: int | None = None,
    sha256: str | None = None,
    patient: bool = False,
) -> None:
    """Download a URL to `target`, which appears once it is complete and checked.

    patient: allow long delays, because the dataset has no other source; otherwise an unreachable server
    is given up within seconds, and the package's real data or a stand-in is used. raw_files.Unavailable,
    one line, for a failed download, more than max_bytes, another sha256, and a file that is not of its type.
    """
    if not patient:
        os.environ.setdefault("RES_OPTIONS", RESOLVER)
    try:
        with files.replacing(target) as temporary:
            _transfer(url, temporary, _Progress(target.name, max_bytes), patient)
            if sha256 and pooch.file_hash(str(temporary)) != sha256:
                raise ValueError(f"its sha256 differs from {sha256} in the configuration")
            raw_files.check(temporary, target.name)
    except raw_files.Unavailable:
        raise
    except ValueError as error:
        raise raw_files.Unavailable(f"{url}: refused, {error}") from None


def obstacle(url: str) -> str | None:
    """Why a URL cannot be fetched, from its headers alone; None if it can."""
    os.environ.setdefault("RES_OPTIONS", RESOLVER)
    try:
        status = requests.head(url, timeout=SHORT, allow_redirects=True).status_code
    except requests.RequestException as error:
        return f"no connection ({type(error).__name__})"
    return None if status < 400 else f"the server answered {status}"


class _Progress:
    """A progress bar as pooch expects it: now and then a line on the console, and the limit of bytes."""

    def __init__(self, name: str, max_bytes: int | None) -> None:
        self.name, self.max_bytes = name, max_bytes
        self.total = 0  # bytes; pooch sets it, to 0 where the server does not say
        self.reset()

    def reset(self) -> None:
        """Start again."""
        self.received, self.shown = 0, time.monotonic()

    def update(self, size: int) -> None:
        """Count bytes; ValueError beyond the limit. pooch counts the last chunk in full."""
        self.received += size
        least = self.total or self.received - CHUNK
        if self.max_bytes is not None and least > self.max_bytes:
            limit = f"the limit is {self.max_bytes / 1e6:.0f} MB"
            raise ValueError(f"{self.name} has at least {least / 1e6:.0f} MB, {limit}")
        terminal = sys.stderr.isatty()
        if time.monotonic() - self.shown > SHOWN_EVERY[0 if terminal else 1]:
            self.shown = time.monotonic()
            total = f" of {self.total / 1e6:.1f}" if self.total else ""
            end = "\r" if terminal else "\n"
            sys.stderr.write(f"{self.name}: {self.received / 1e6:.1f}{total} MB{end}")

    def close(self) -> None:
        """The last line stays."""


def _transfer(url: str, path: Path, progress: _Progress, patient: bool) -> None:
    """Write the body to a path, in several attempts unless the failure is one that lasts."""
    load = pooch.HTTPDownloader(
        progressbar=progress,
        chunk_size=CHUNK,
        timeout=LONG if patient else SHORT,
        headers={"Accept-Encoding": "identity"},
        hooks={"response": _stay_encrypted},
    )
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            progress.reset()
            return load(url, str(path), None)
        except requests.RequestException as error:
            reason, lasts = _failure(error, patient)
            if lasts:
                raise raw_files.Unavailable(f"{url}: {reason}") from None
    raise raw_files.Unavailable(f"{url}: gave up after {ATTEMPTS} attempts ({reason})")


def _stay_encrypted(response: requests.Response, **_: object) -> None:
    """ValueError for a redirect from https to anything else."""
    target = urljoin(response.url, response.headers.get("Location", ""))
    if response.is_redirect and response.url.startswith("https:") and not target.startswith("https:"):
        raise ValueError(f"redirect to {target[:100]!r}")


def _failure(error: requests.RequestException, patient: bool) -> tuple[str, bool]:
    """Why an attempt failed, and whether the next one would fail as well."""
    if isinstance(error, requests.HTTPError):
        status = error.response.status_code
        return f"the server answered {status}", status < 500 and status not in (408, 429)
    if isinstance(error, requests.ReadTimeout):
        return f"no answer within {(LONG if patient else SHORT)[1]:g} s", not patient
    if error.args and isinstance(error.args[0], ProtocolError | ReadTimeoutError):
        return str(error), False
    if isinstance(error, requests.ConnectionError):
        return "no connection", True
    return f"refused, {error}", True


def obtain(
    dataset: str,
    settings: Mapping[str, Any],
    patterns: Sequence[str],
    write_extract: Callable[[str | Path], list[Path]] | None,
    write_standin: Callable[[str | Path], list[Path]] | None,
    manifest: Path,
) -> None:
    """Find, fetch, extract or stand in for the raw files of a dataset; write their manifest.

    patterns: file name patterns of its raw files; write_extract(folder), write_standin(folder): None if
    the package has no real data for it, or no stand-in.
    """

    def say(text: str) -> None:
        sys.stderr.write(f"{dataset}: {text}\n")

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
