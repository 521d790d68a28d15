"""Cut the package's extracts from full raw files:

    python -m tvgp.study.datasets.extracts.cut SOURCE

SOURCE is a folder with EPA's "Download Daily Data" exports, the Intel lab's matrices and the temperatures of
France, at any depth, under the names below. The same files give the same bytes; the table of checksums to put
into `__init__.py` is printed.
"""

from __future__ import annotations

import csv
import io
import shutil
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tvgp.study.data import raw_files
from tvgp.study.datasets import extracts, intel_lab, meteo_france, ozone
from tvgp.study.execution import files

OZONE = {"ozone": ("ozone_NY_2023.csv",), "ozone_nc": ("ozone_NC_2019.csv", "ozone_NC_2020.csv")}
DEPARTMENTS = "departments.csv"
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
            with open(_find(source, table), encoding="utf-8-sig", newline="") as stream:
                made.append(_packed(target / name, table, columns(stream)))
    made += [_packed(target / name, *cut(source)) for name, cut in FRANCE.items()]
    copied = [("intel_lab", table) for table in intel_lab.MATRICES] + [("france_departments", DEPARTMENTS)]
    for name, table in copied:
        made.append(target / name / table)
        with files.replacing(made[-1]) as temporary:
            shutil.copyfile(_find(source, table), temporary)
    return made


def _packed(folder: Path, name: str, text: str, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A table as the one member of a zip file, dated 1980, so that the bytes do not depend on the day."""
    member = zipfile.ZipInfo(name)
    member.compress_type, member.external_attr = method, 0o644 << 16
    path = folder / f"{Path(name).stem}.zip"
    with files.replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(member, text, compresslevel=9)
    return path


def _months(source: Path) -> tuple[str, str, int]:
    """Monthly means of the stations in the columns of Météo-France's own files, by month and station."""
    places = pd.read_csv(_find(source, "stations.csv"), dtype=str)
    wide = pd.read_csv(_find(source, "tm_1963-04_2022-12.csv"), dtype=str)
    long = wide.melt("month", var_name="NUM_POSTE", value_name="TM").dropna()
    long["AAAAMM"] = long.pop("month").str.replace("-", "")
    named = places.rename(
        columns={"station": "NUM_POSTE", "latitude": "LAT", "longitude": "LON", "altitude_m": "ALTI"}
    )
    table = named.merge(long).sort_values(["AAAAMM", "NUM_POSTE"])[[*meteo_france.COLUMNS]]
    return "MENSQ_1963-2022.csv", table.to_csv(sep=";", index=False, lineterminator="\n"), zipfile.ZIP_LZMA


def _days(source: Path) -> tuple[str, str, int]:
    """Daily means of the departments, by day and department, cells unchanged."""
    name = "temperature-quotidienne-departementale.csv"
    table = pd.read_csv(_find(source, name), sep=";", dtype=str)
    kept = ["date_obs", "code_insee_departement", "tmoy"]
    table = table[kept].sort_values(kept)
    return name, table.to_csv(sep=";", index=False, lineterminator="\n"), zipfile.ZIP_LZMA


FRANCE = {"meteo_france": _months, "france_departments": _days}


def _find(source: Path, name: str) -> Path:
    found = sorted(source.rglob(name))
    if not found:
        raise ValueError(f"{source}: no file {name} below it")
    return found[0]


if __name__ == "__main__":
    full = Path(sys.argv[1])
    for path in make(full, extracts.FOLDER):
        print(f'    "{path.relative_to(extracts.FOLDER)}": "{raw_files.digest(path)}",')
