"""Cut the package's extracts from full raw files:

    python -m tvgp.study.datasets.extracts.cut SOURCE

SOURCE is a folder with EPA's "Download Daily Data" exports and the Intel lab's matrices, at any depth, under
the names below. The same files give the same bytes; the table of checksums to put into `__init__.py` is
printed.
"""

from __future__ import annotations

import csv
import io
import shutil
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tvgp.study.data import raw_files
from tvgp.study.datasets import extracts, intel_lab, ozone
from tvgp.study.execution import files

OZONE = {"ozone": ("ozone_NY_2023.csv",), "ozone_nc": ("ozone_NC_2019.csv", "ozone_NC_2020.csv")}
COLUMNS = {*ozone.DAILY.values(), *ozone.SITE_IDS, *ozone.SITE_NAMES, "source"}


def columns(lines: Iterable[str]) -> str:
    """A daily ozone table with only the columns that its loader reads; their cells are unchanged."""
    rows = csv.reader(lines)
    header = next(rows)
    kept = [i for i, name in enumerate(header) if name.strip().casefold().replace("_", " ") in COLUMNS]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerows([cells[i] for i in kept] for cells in [header, *rows] if cells)
    return text.getvalue()


def make(source: Path, target: Path) -> list[Path]:
    """Cut and compress every extract into a folder; the paths of its files."""
    made = []
    for name, tables in OZONE.items():
        for table in tables:
            member = zipfile.ZipInfo(table)  # dated 1980, so that the bytes do not depend on the day
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            made.append(target / name / f"{Path(table).stem}.zip")
            with (
                files.replacing(made[-1]) as temporary,
                open(_find(source, table), encoding="utf-8-sig", newline="") as stream,
                zipfile.ZipFile(temporary, "w") as archive,
            ):
                archive.writestr(member, columns(stream), compresslevel=9)
    for table in intel_lab.MATRICES:
        made.append(target / "intel_lab" / table)
        with files.replacing(made[-1]) as temporary:
            shutil.copyfile(_find(source, table), temporary)
    return made


def _find(source: Path, name: str) -> Path:
    found = sorted(source.rglob(name))
    if not found:
        raise ValueError(f"{source}: no file {name} below it")
    return found[0]


if __name__ == "__main__":
    full = Path(sys.argv[1])
    for path in make(full, extracts.FOLDER):
        print(f'    "{path.relative_to(extracts.FOLDER)}": "{raw_files.digest(path)}",')
