"""NetCDF-4 files of the study: written atomically, with a digest that every reader checks.

The last line of a file, after the end of its HDF5 data, is the sha256 of all bytes before it. HDF5
readers ignore it. Damage is thus reported before the HDF5 library, which may crash or hang, opens
the file. The Fletcher checksums of the variables protect readers outside this study.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from tvgp.study.execution import files

CHECKSUM: dict[str, Any] = {"fletcher32": True}
COMPRESSION: dict[str, Any] = {"zlib": True, "complevel": 4, "shuffle": True, **CHECKSUM}
_SEAL = b"\nsha256 %s\n"
_SEAL_BYTES = len(_SEAL % b"") + 64


@contextmanager
def writing(path: str | Path) -> Iterator[netCDF4.Dataset]:
    """Open a file for writing; on success it is sealed and replaces `path`."""
    with files.replacing(path) as temporary:
        with netCDF4.Dataset(temporary, "w") as file:
            yield file
        seal(temporary)


@contextmanager
def reading(path: str | Path) -> Iterator[netCDF4.Dataset]:
    """Open a sealed file, without masks. ValueError, one line, for any file that is not as expected."""
    check(path)
    try:
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            yield file
    except (OSError, RuntimeError, LookupError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: not the expected kind of file ({reason})") from None


def set_attributes(file: netCDF4.Dataset, attributes: dict) -> None:
    """Set global attributes in a fixed order; mappings and lists become JSON text."""
    for name in sorted(attributes):
        value = attributes[name]
        if isinstance(value, dict | list):
            value = json.dumps(value, sort_keys=True, ensure_ascii=False)
        file.setncattr(name, value)


def put_strings(
    file: netCDF4.Dataset, name: str, dimensions: tuple[str, ...], values: Sequence[str] | np.ndarray
) -> None:
    """A variable of variable-length strings."""
    variable = file.createVariable(name, str, dimensions)
    variable[...] = np.asarray(values, dtype=object)


def put_numbers(
    file: netCDF4.Dataset, name: str, dimensions: tuple[str, ...], values: np.ndarray, **attributes: str
) -> None:
    """A compressed variable: whole numbers as i4, others as f8."""
    kind = "i4" if np.issubdtype(np.asarray(values).dtype, np.integer) else "f8"
    variable = file.createVariable(name, kind, dimensions, **COMPRESSION)
    variable.setncatts(attributes)
    variable[...] = values


def seal(path: str | Path) -> None:
    """Append the digest line to a complete file."""
    digest = _digest(path, os.path.getsize(path))
    with open(path, "ab") as stream:
        stream.write(_SEAL % digest)


def check(path: str | Path) -> None:
    """ValueError, one line with the remedy, unless the file exists and its digest is correct."""
    try:
        size = os.path.getsize(path) - _SEAL_BYTES
        with open(path, "rb") as stream:
            stream.seek(max(size, 0))
            valid = size > 0 and stream.read() == _SEAL % _digest(path, size)
    except OSError as error:
        raise ValueError(f"{path}: {files.unreadable(error)}") from None
    if not valid:
        raise ValueError(f"{path}: {files.DAMAGED}")


def _digest(path: str | Path, size: int) -> bytes:
    """sha256 of the first `size` bytes, as hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while size > 0 and (block := stream.read(min(size, 1 << 20))):
            digest.update(block)
            size -= len(block)
    return digest.hexdigest().encode()
