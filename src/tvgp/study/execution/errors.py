"""Report expected errors as one line on stderr and in the log, with exit code 1."""

from __future__ import annotations

import faulthandler
import os
import platform
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path

_LONGEST = 1000  # characters of an error message


@contextmanager
def one_line_errors(log: str | Path | None = None) -> Iterator[None]:
    """Turn an expected error into one line on stderr and in the log file, and exit code 1.

    Bad input, unreadable files and sizes beyond the machine (ValueError, OSError, KeyError,
    MemoryError) are for the user to correct and need no traceback. Any other exception is a bug and
    keeps its traceback, which is also written to the log file. Of a process that a signal ends, the log
    names the signal, the versions and where it was.
    """
    try:
        with _signals_noted(Path(log)) if log else nullcontext():
            yield
    except (ValueError, OSError, KeyError, MemoryError) as error:
        text = f"missing entry {error}" if isinstance(error, KeyError) else str(error)
        if isinstance(error, MemoryError):
            text = f"not enough memory{f' for the job of {log}' if log else ''} ({text})"
        line = "ERROR: " + " ".join((text or type(error).__name__).split())
        line = line if len(line) <= _LONGEST else line[:_LONGEST] + " ..."
        if log:
            Path(log).write_text(line + "\n", encoding="utf-8")
        sys.stderr.write(line + "\n")
        raise SystemExit(1) from None
    except Exception:
        if log:
            Path(log).write_text(traceback.format_exc(), encoding="utf-8")
        raise


@contextmanager
def _signals_noted(log: Path) -> Iterator[None]:
    """Leave in the log what a process that dies in compiled code cannot say itself."""
    log.parent.mkdir(parents=True, exist_ok=True)
    versions = [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    kernel = os.environ.get("OPENBLAS_CORETYPE", "not set")
    with open(log, "w", encoding="utf-8") as stream:
        told = [f"Python {platform.python_version()}", *versions, f"OPENBLAS_CORETYPE {kernel}"]
        stream.write(f"Ended by a signal, with {', '.join(told)}\n")
        stream.flush()
        faulthandler.enable(stream)
        try:
            yield
        finally:
            faulthandler.disable()
            stream.truncate(0)
