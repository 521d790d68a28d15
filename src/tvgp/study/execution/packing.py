"""Packed files that others have made: what damaged ones raise, and what unpacks to too much."""

from __future__ import annotations

import gzip
import zipfile
import zlib

MAX_RATIO, RATIO_FROM = 100, 1 << 20  # of unpacked to packed bytes; real tables have 5 to 30
GZIP_FAULTS = (gzip.BadGzipFile, zlib.error, EOFError)
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError)


def refuse_bomb(unpacked: int, packed: int, label: str) -> None:
    """ValueError for data that unpack to implausibly many bytes."""
    if unpacked > RATIO_FROM and unpacked > MAX_RATIO * packed:
        raise ValueError(
            f"{label}: {packed} bytes unpack to {unpacked} or more, more than {MAX_RATIO} times as many"
        )
