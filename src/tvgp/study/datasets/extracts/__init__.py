"""Extracts of real data in the package, so that the study has real input without a network.

`<name>/` holds raw files in the format of a loader, cut to the columns that it reads (`cut.py`);
README.md states provenance and licence.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tvgp.study.data import raw_files
from tvgp.study.execution import files

FOLDER = Path(__file__).parent

SHA256 = {
    "ozone/ozone_NY_2023.zip": "f547d84333ccc2cefac39dd8ede97fbb8a7b3b7a501d941ff3d21856a811d163",
    "ozone_nc/ozone_NC_2019.zip": "f2656b14c8f0e9dce6db038d236ef5cc2a4c84685000c69997ed8d7d2f1e3aee",
    "ozone_nc/ozone_NC_2020.zip": "2713718683b428c568a9fdd59b840278b11f6154f25c8a1aa974644802938bf5",
    "intel_lab/intelTemperatureTrain.csv": "20f07cd804b5878206525fb3f53d8a83ce091bf4f07c3b45818f015ba80887be",
    "intel_lab/intelTemperatureTest.csv": "26d84692a7b6f9248b827c9f17e206eae2800d5ae0bc248580871e663ce8cdc5",
    "meteo_france/MENSQ_1963-2022.zip": "164d81ec8a77f41eb866129d8af369cdec738e9b7e0893cb47e76feb752bd23e",
    "france_departments/departments.csv": "ed5fa6ee544c17c14f8098eef2e4daff549aed91d1452afebf350bc557dbed07",
    "france_departments/temperature-quotidienne-departementale.zip": (
        "28916b284d1d7f1079e2d3325f49a069c38c6e9b91161a901b865db3dc825d2d"
    ),
}


def copy(name: str, folder: str | Path) -> list[Path]:
    """Copy the files of an extract into a folder.

    ValueError for an extract that does not exist and for files that are not those of the package.
    """
    members = {member: sha256 for member, sha256 in SHA256.items() if member.startswith(f"{name}/")}
    if not members:
        known = ", ".join(sorted({member.partition("/")[0] for member in SHA256}))
        raise ValueError(f"no extract {name!r} in the package; known: {known}")
    targets = []
    for member, sha256 in members.items():
        path = FOLDER / member
        if not path.is_file() or raw_files.digest(path) != sha256:
            raise ValueError(f"{path}: missing or changed; install the package again, or run extracts/cut.py")
        targets.append(Path(folder) / path.name)
        with files.replacing(targets[-1]) as temporary:
            shutil.copyfile(path, temporary)
    return targets
