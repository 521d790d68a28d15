"""Files that are whole or absent: written under a temporary name, then renamed."""

from __future__ import annotations

import glob
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; on success flush it to disk and rename it.

    The temporary name keeps the suffix (writers pick a format from it) and starts with a dot.
    After an error the temporary file is removed and an older file at `path` stays as it was.
    What an earlier writer of `path` left behind is removed; one that still writes, as a job may
    that outlived its study, then fails instead of mixing its bytes with these.
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
    """Write text (UTF-8, LF line ends) as a whole."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_object(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write an object as JSON, as a whole."""
    write_text(path, json.dumps(content, indent=2, sort_keys=True) + "\n")


def read_object(path: str | Path) -> dict:
    """The object in a file; ValueError naming the file for anything else."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: not readable as JSON ({reason})") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected a JSON object")
    return content
