"""Files that xarray reads: NetCDF, and Zarr stores packed into one file, which need the package zarr."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tvgp.study.data import csv_tables

if TYPE_CHECKING:
    import xarray as xr

ZARR = ".zarr.zip"
LIMITS = {"valid_range", "valid_min", "valid_max"}


def is_gridded(path: Path) -> bool:
    """Whether xarray reads this file, by its name."""
    return path.name.lower().endswith((".nc", ZARR))


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[xr.Dataset]:
    """The dataset in a file, with options of `xarray.decode_cf`; durations stay numbers of their unit.
    ValueError, one line, for a file that cannot be read and for Zarr where the package zarr is missing."""
    import xarray as xr

    kind = "Zarr" if path.name.lower().endswith(ZARR) else "NetCDF"
    try:
        if kind == "NetCDF":
            with xr.open_dataset(path, decode_cf=False) as stored:
                yield _decoded(stored, path, options)
            return
        try:
            from zarr.storage import ZipStore
        except ImportError:
            raise ValueError(
                f"{path}: Zarr needs the package zarr; run: .venv/bin/pip install zarr, or save it as NetCDF"
            ) from None
        with (
            ZipStore(path, mode="r") as store,
            xr.open_zarr(store, chunks=None, consolidated=False, decode_cf=False) as stored,
        ):
            yield _decoded(stored, path, options)
    except (OSError, RuntimeError, KeyError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: cannot be read as {kind} ({' '.join(str(error).split())})") from None


def _decoded(stored: xr.Dataset, path: Path, options: dict[str, Any]) -> xr.Dataset:
    """The dataset with fill values as NaN. xarray compares them as written, but -999.9 as a double equals no
    float, and a text equals no number; nor does it know the value with which the library fills gaps."""
    import netCDF4
    import xarray as xr

    for variable in stored.data_vars.values():
        attrs, kind = variable.attrs, variable.dtype
        filled = netCDF4.default_fillvals.get(kind.str[1:])
        if filled is not None and kind.itemsize > 1 and (kind.kind == "f" or "scale_factor" in attrs):
            attrs.setdefault("_FillValue", kind.type(filled))  # a byte may have any value
        for key in {"_FillValue", "missing_value"} & attrs.keys():
            if isinstance(attrs[key], str):
                attrs[key] = csv_tables.number(attrs[key])
            if kind.kind == "f":
                attrs[key] = np.asarray(attrs[key]).astype(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xr.SerializationWarning)  # two fill values are two fill values
        try:
            return xr.decode_cf(stored, decode_timedelta=False, **options)
        except (ValueError, OverflowError) as error:
            text = str(error).partition(". Try ")[0]  # opening it otherwise, in Python
            raise ValueError(f"{path}: {text}; expected times such as days since 2000-01-01") from None


def squeezed(
    array: xr.DataArray, named: Collection[str], position: Collection[str] | None, data: xr.Dataset
) -> xr.DataArray:
    """An array without dimensions of length 1 that are neither named nor those of positions, such as a member
    or a height."""
    kept = {str(dim) for name in position or () if name in data.variables for dim in data[name].dims}
    spare = [dim for dim in array.dims if array.sizes[dim] == 1 and dim not in kept | set(named)]
    return array.squeeze(spare, drop=True)


def precision(array: xr.DataArray) -> np.dtype:
    """The type of fractions in which an array is stored, double for whole numbers."""
    stored = np.dtype(array.encoding.get("dtype", array.dtype))
    return stored if stored.kind == "f" else np.dtype(float)


def is_valid(array: xr.DataArray, values: np.ndarray) -> np.ndarray:
    """Whether each of the array's values lies within `valid_range`, `valid_min` and `valid_max`. Limits are
    of values as stored (CF conventions, 2.5.1); fractions beside whole numbers are of values as read."""
    attrs, packing = array.attrs, array.encoding
    given = attrs.get("valid_range", [attrs.get("valid_min", -np.inf), attrs.get("valid_max", np.inf)])
    kinds = {np.asarray(attrs[key]).dtype.kind for key in LIMITS & attrs.keys()}
    own = precision(array)
    limits = np.asarray(given).astype(own).astype(values.dtype if values.dtype.kind == "f" else float)
    if own == packing.get("dtype", own) or "f" not in kinds:
        limits *= packing.get("scale_factor", 1)
        limits += packing.get("add_offset", 0)
    return (values >= limits.min()) & (values <= limits.max())


def packed(store: Path, folder: Path) -> Path:
    """A Zarr store in a folder as one file in another folder: the same bytes from the same store.
    ValueError unless the folder is a Zarr store."""
    if not any((store / name).is_file() for name in ("zarr.json", ".zgroup")):
        raise ValueError(f"{store}: a folder, and not of a Zarr group; expected a file of values")
    target = folder / f"{store.name.removesuffix('.zarr')}{ZARR}"
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(p for p in store.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(store).as_posix())
            archive.writestr(entry, path.read_bytes())
    return target
