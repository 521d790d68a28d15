"""`tvgp archive`: the results of a study in one file, with RO-Crate metadata.

The metadata follow RO-Crate 1.1 (https://w3id.org/ro/crate/1.1): each file with its size and digest, and the
run that made them with its software. `tvgp report FILE.zip` opens the report of such a file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mimetypes
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tvgp.study.command import checkout
from tvgp.study.command.checkout import Study
from tvgp.study.execution import files, packing
from tvgp.study.publish.results import made_with

# what the report links, and what it was computed from; runs and logs stay behind
SHOWN = ("figures", "live", "tables", "timings/figures", "timings/tables")
SUBFOLDERS = (*SHOWN, "checks", "collected", "fits", "records", "tuned", "timings/records")
METADATA = "ro-crate-metadata.json"
CONFIGURATION = "configuration.json"
CRATE = "https://w3id.org/ro/crate/1.1"


def main(given: argparse.Namespace) -> int:
    """Write the archive and print its path, size and digest; 0.

    ValueError for an unfinished study, and for one with files that their records contradict.
    """
    study = checkout.study(*given.study)
    if not study.report.is_file():
        raise ValueError(
            f"{study.report}: missing, so the study is not complete; run: tvgp run {' '.join(given.study)}"
        )
    if found := study.faults():
        raise ValueError(
            f"{'; '.join(found)}; nothing is packed; to make them again run: tvgp run {' '.join(given.study)}"
        )
    results = study.results
    target = Path(given.output or results.with_name(f"{results.name}{'-report' * given.report}.zip"))
    write(study, target, given.report)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, sha256 {files.digest(target)}")
    return 0


def write(study: Study, target: Path, report: bool = False) -> None:
    """The archive of a complete study, or of its report alone: the same bytes from the same files."""
    members = [study.report, study.results / "check.json"]
    for subfolder in SHOWN if report else SUBFOLDERS:
        members += (path for path in (study.results / subfolder).rglob("*") if path.is_file())
    for subfolder in () if report else ("analyses", "timings/analyses"):
        members += (study.results / subfolder).glob("*.nc")  # without the parts that they join
    texts = {CONFIGURATION: json.dumps(study.config, indent=1, sort_keys=True) + "\n"}
    finished = max(path.stat().st_mtime for path in members)
    described = crate(study, texts[CONFIGURATION].encode(), sorted(members), finished)
    texts[METADATA] = json.dumps(described, indent=1) + "\n"
    with files.replacing(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        date = time.gmtime(finished)[:6]
        for name, text in sorted(texts.items()):
            archive.writestr(_entry(name, date), text, zipfile.ZIP_DEFLATED)
        for path in sorted(members):
            entry = _entry(path.relative_to(study.results).as_posix(), date)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def crate(study: Study, configuration: bytes, members: list[Path], finished: float) -> dict[str, Any]:
    """The content of `METADATA` for a configuration and these files of the results, finished at that time."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(finished))
    names = [path.relative_to(study.results).as_posix() for path in members]
    scale = study.config["scale"]
    commit, versions = made_with(study.results)
    software = versions | {"tvgp": commit}
    graph: list[dict[str, Any]] = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": CRATE},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"Results of tvgp, scale {scale}",
            "description": "Runs, analyses, figures and tables of a study of time-varying Gaussian-process "
            "bandits. Open report.html. Data that the results are computed from keep their own licences.",
            "datePublished": when,
            "license": {"@id": "https://spdx.org/licenses/MIT"},
            "mainEntity": {"@id": "report.html"},
            "hasPart": [{"@id": name} for name in [CONFIGURATION, *names]],
            "mentions": {"@id": "#run"},
        },
        {"@id": "https://spdx.org/licenses/MIT", "@type": "CreativeWork", "name": "MIT licence"},
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": f"tvgp run {scale}",
            "endTime": when,
            "instrument": [{"@id": f"#{name}"} for name in software],
            "object": {"@id": CONFIGURATION},
            "result": [{"@id": name} for name in names],
        },
        {
            "@id": CONFIGURATION,
            "@type": "File",
            "encodingFormat": "application/json",
            "contentSize": str(len(configuration)),
            "sha256": hashlib.sha256(configuration).hexdigest(),
        },
    ]
    graph += (
        {"@id": f"#{name}", "@type": "SoftwareApplication", "name": name, "version": version}
        for name, version in software.items()
    )
    for path, name in zip(members, names, strict=True):
        kind = "application/netcdf" if path.suffix == ".nc" else mimetypes.guess_type(name)[0]
        described = {"encodingFormat": kind} if kind else {}
        graph.append(
            {"@id": name, "@type": "File", "contentSize": str(path.stat().st_size)}
            | {"sha256": files.digest(path)}
            | described
        )
    return {"@context": f"{CRATE}/context", "@graph": graph}


def opened(archive: Path) -> Path:
    """The report of an archive, unpacked beside it into a folder of its name.

    ValueError for another file, and where that folder is not an unpacked archive, such as the study's own.
    """
    if found := faults(archive):
        raise ValueError(f"{'; '.join(found)}; copy or download it again")
    folder = archive.with_suffix("")
    if folder.exists() and not (folder / METADATA).is_file():
        raise ValueError(
            f"{folder}: exists and is not an unpacked archive; move {archive.name} to another folder"
        )
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder / "report.html"


def faults(archive: Path) -> list[str]:
    """A line for each file in an archive that differs from its description in the metadata.

    Sizes are compared before anything is unpacked. ValueError for a file that is not an archive.
    """
    if not archive.is_file():
        raise ValueError(f"{archive}: no such file; tvgp archive writes to results/ by default")
    try:
        with zipfile.ZipFile(archive) as packed:
            if not {METADATA, "report.html"} <= set(packed.namelist()):
                raise ValueError(
                    f"{archive}: holds no results of tvgp; expected a file written by tvgp archive"
                )
            entry = packed.getinfo(METADATA)
            packing.refuse_bomb(entry.file_size, entry.compress_size, f"{archive}: {METADATA}")
            known = {each["@id"]: each for each in json.loads(packed.read(entry))["@graph"]}
            names = {name for name, each in known.items() if each["@type"] == "File"} | {*packed.namelist()}
            found = {name: _fault(packed, name, known.get(name, {})) for name in names - {METADATA}}
    except (
        OSError,
        LookupError,
        TypeError,
        json.JSONDecodeError,
        UnicodeDecodeError,
        *packing.ZIP_FAULTS,
    ) as error:
        raise ValueError(f"{archive}: damaged ({error}); copy or download it again") from None
    return [f"{archive}: {name}: {fault}" for name, fault in sorted(found.items()) if fault]


def _fault(packed: zipfile.ZipFile, name: str, described: Mapping[str, str]) -> str:
    """How a file in an archive differs from its description; empty if it does not."""
    if name not in packed.namelist():
        return "no such file"
    if "sha256" not in described:  # early archives have none for the configuration
        return "" if name == CONFIGURATION else "not described in the metadata"
    if str(size := packed.getinfo(name).file_size) != described["contentSize"]:
        return f"{size} bytes, expected {described['contentSize']}"
    try:
        with packed.open(name) as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
    except (OSError, *packing.ZIP_FAULTS) as error:
        return f"damaged ({error})"
    return "" if digest == described["sha256"] else "damaged, wrong digest"


def _entry(name: str, date: tuple[int, ...]) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date)  # type: ignore[arg-type]
    entry.external_attr = 0o644 << 16
    return entry
