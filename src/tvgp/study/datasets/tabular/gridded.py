"""Files that xarray reads: NetCDF, and Zarr stores packed into one file, which need the package zarr."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

ZARR = ".zarr.zip"


def is_gridded(path: Path) -> bool:
    """Whether xarray reads this file, by its name."""
    return path.name.lower().endswith((".nc", ZARR))


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[xr.Dataset]:
    """The dataset in a file, with options of xarray's. ValueError, one line, for a file that cannot be read
    and for Zarr where the package zarr is missing."""
    import xarray as xr

    kind = "Zarr" if path.name.lower().endswith(ZARR) else "NetCDF"
    try:
        if kind == "NetCDF":
            with xr.open_dataset(path, **options) as data:
                yield data
            return
        try:
            from zarr.storage import ZipStore
        except ImportError:
            raise ValueError(
                f"{path}: Zarr needs the package zarr; run: .venv/bin/pip install zarr, or save it as NetCDF"
            ) from None
        with (
            ZipStore(path, mode="r") as store,
            xr.open_zarr(store, chunks=None, consolidated=False, **options) as data,
        ):
            yield data
    except (OSError, RuntimeError, KeyError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: cannot be read as {kind} ({' '.join(str(error).split())})") from None


def packed(store: Path, folder: Path) -> Path:
    """A Zarr store in a folder as one file in another folder: the same bytes from the same store.
    ValueError for a folder that is no store."""
    if not any((store / name).is_file() for name in ("zarr.json", ".zgroup")):
        raise ValueError(f"{store}: a folder, and not of a Zarr group; expected a file of values")
    target = folder / f"{store.name.removesuffix('.zarr')}{ZARR}"
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(p for p in store.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(store).as_posix())
            archive.writestr(entry, path.read_bytes())
    return target
