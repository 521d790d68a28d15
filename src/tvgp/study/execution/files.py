"""Atomic file writes, and JSON files with a digest."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DAMAGED = "damaged, wrong digest; delete the file and run the same command again"
_DIGEST = "digest"


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; on success flush it to disk and rename it.

    The temporary name keeps the suffix (writers pick a format from it) and starts with a dot.
    After an error the temporary file is removed and an older file at `path` is unchanged.
    Temporary files of earlier writers of `path` are removed; a writer that is still running, such
    as a job that outlived its study, then fails instead of mixing its bytes with these.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for stale in path.parent.glob(f".part-{'?' * 8}-{glob.escape(path.name)}"):
        stale.unlink(missing_ok=True)
    temporary = path.with_name(f".part-{secrets.token_hex(4)}-{path.name}")
    try:
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write text (UTF-8, LF line ends) atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_object(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write an object as JSON, with the sha256 of its content as its last member."""
    write_text(path, json.dumps({**content, _DIGEST: _digest(content)}, indent=2) + "\n")


def read_object(path: str | Path) -> dict[str, Any]:
    """The object that `write_object` wrote. ValueError, one line, for a missing or damaged file."""
    try:
        content = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise ValueError(f"{path}: {unreadable(error)}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{path}: {DAMAGED}") from None
    if not isinstance(content, dict) or content.pop(_DIGEST, None) != _digest(content):
        raise ValueError(f"{path}: {DAMAGED}")
    return content


def digest(path: str | Path) -> str:
    """sha256 of a file, as hexadecimal digits. ValueError, one line, for a file that cannot be read."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(f"{path}: {unreadable(error)}") from None


def unreadable(error: OSError) -> str:
    """Why a file cannot be opened."""
    return "no such file" if isinstance(error, FileNotFoundError) else f"not readable ({error.strerror})"


def _digest(content: Mapping[str, Any]) -> str:
    """sha256 of the content, whatever the layout of its JSON text."""
    text = json.dumps(json.loads(json.dumps(content)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
