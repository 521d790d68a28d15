"""What is published of a finished study: its tables, its figures, and a record of how it was made."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvgp.study.config import jobs
from tvgp.study.config.recipes import Recipes
from tvgp.study.execution import files, netcdf, processor, provenance
from tvgp.study.report import papers, pictures

PUBLISHED = (".csv", ".png")  # the archive has the figures as PDF too


@dataclass(frozen=True)
class Finished:
    """A finished study: its configuration, its folders of results and resources."""

    config: Mapping[str, Any]
    results: Path
    resources: Path


def write(folder: Path, study: Finished, archive: Path) -> dict[str, Any]:
    """Rebuild the folder of a part's published results; its record, which is written to `study.json` there.

    archive: the packed results. Tables go to `tables/`; the figures over several experiments and the
    key figures of papers to `figures/<experiment>/`, as PNG of few colours.
    Nothing is published of a study that is incomplete, was made by other code or has stand-in data:
    ValueError, one line.
    """
    refuse(study)
    for subfolder in ("tables", "figures"):
        shutil.rmtree(folder / subfolder, ignore_errors=True)
    _copy_tables(study, folder / "tables")
    record = described(study, archive) | {"figures": _copy_figures(study, folder)}
    record["bytes"] = sum(path.stat().st_size for path in folder.rglob("*.*") if path.suffix in PUBLISHED)
    files.write_object(folder / "study.json", record)
    return record


def refuse(study: Finished) -> None:
    """ValueError, one line, for a study that is incomplete, was made by other code or has stand-in data."""
    products = jobs.products(study.config)
    wanted = [f"{product.stem}.{suffix}" for product in products for suffix in product.suffixes]
    if missing := [
        path for path in ["report.html", processor.MACHINES, *wanted] if not _path(study, path).is_file()
    ]:
        raise ValueError(f"{study.results / missing[0]}: missing, so the study is not complete; run it again")
    provenance.require(_results(study))
    for manifest in _manifests(study):
        if files.read_object(manifest)["source"] == "standin":
            raise ValueError(
                f"{manifest}: stand-in data, which are not published; drop the raw files into data/raw/, or"
                " take the experiments on them out of the study (selection or leave_out in the overlay)"
            )


def _results(study: Finished) -> dict[str, str]:
    """The files that numbers are read from, with the recipes that this code makes them by."""
    recipes, folder = Recipes(study.config), study.results
    experiments, analyses = (jobs.selected(study.config, kind) for kind in ("experiments", "analyses"))
    wanted = {f"{folder}/collected/{name}.nc": recipes.collect(name)["recipe"] for name in experiments}
    for name in analyses:
        subfolder = "timings/analyses" if jobs.is_timed(study.config, name) else "analyses"
        wanted[f"{folder}/{subfolder}/{name}.nc"] = recipes.gather(name)["recipe"]
    return wanted


def described(study: Finished, archive: Path) -> dict[str, Any]:
    """Commits, versions, data, archive and hours of a study.

    hours: of the jobs by the clock, one core each. Snakemake's CPU times are those of processes that wait
    for forks (`tvgp.study.execution.forkserver`).
    """
    commit, versions = made_with(study.results)
    times = []
    for path in sorted((study.results / "timings" / "jobs").rglob("*.tsv")):
        with open(path, newline="", encoding="utf-8") as stream:
            times += list(csv.DictReader(stream, delimiter="\t"))
    return {
        "commit": commit,
        "versions": versions,
        "jobs": len(times),
        "machines": files.read_object(study.results / processor.MACHINES)["machines"],
        "hours": round(sum(float(row["s"]) for row in times) / 3600, 2),
        "data": [_source(path) for path in _manifests(study)],
        "archive": {
            "name": archive.name,
            "bytes": archive.stat().st_size,
            "sha256": files.digest(archive),
        },
    }


def made_with(folder: Path) -> tuple[str, dict[str, str]]:
    """Commits, and versions by name, of what the results in a folder were made with, by their own records."""
    made = [path for subfolder in ("collected", "analyses") for path in (folder / subfolder).glob("*.nc")]
    origins = []
    for path in sorted(made):
        with netcdf.reading(path) as file:
            origins += [file.provenance] if "provenance" in file.ncattrs() else []
    return provenance.described(origins)


def _source(manifest: Path) -> dict[str, Any]:
    content = files.read_object(manifest)
    listed = [{"name": Path(f["path"]).name, "sha256": f["sha256"]} for f in content["files"]]
    return {"dataset": content["dataset"], "source": content["source"], "files": listed}


def _manifests(study: Finished) -> list[Path]:
    return [study.resources / dataset / "raw.json" for dataset in jobs.used_datasets(study.config)]


def _path(study: Finished, name: str) -> Path:
    """Where a product lies; those that read measured times have a folder of their own."""
    path = study.results / name
    return path if path.is_file() else study.results / "timings" / name


def _copy_tables(study: Finished, folder: Path) -> None:
    folder.mkdir(parents=True)
    for drawing in jobs.drawings(study.config):
        for product in drawing.products:
            if product.kind == "tables" and "csv" in product.suffixes:
                shutil.copyfile(
                    _path(study, f"{product.stem}.csv"), folder / f"{Path(product.stem).name}.csv"
                )


def _copy_figures(study: Finished, folder: Path) -> list[dict[str, Any]]:
    """Copy the figures; experiment, name, caption and files of each, in the order of the configuration."""
    found = []
    for stem in _shown(study.config):
        (picture,) = pictures.read([_path(study, f"{stem}.png")])
        target = f"figures/{picture.experiment}/{picture.name}"
        entry: dict[str, Any] = {
            "experiment": picture.experiment,
            "name": picture.name,
            "caption": picture.caption,
            "png": f"{target}.png",
        }
        (folder / entry["png"]).parent.mkdir(parents=True, exist_ok=True)
        picture.reduced().save(folder / entry["png"], "PNG", optimize=True)
        found.append(entry)
    return found


def _shown(config: Mapping[str, Any]) -> list[str]:
    """Stems of the figures to publish: those over several experiments, and those that the report shows first
    for a paper; the others are in the archive."""
    first = {f"figures/{experiment}/{name}" for paper in papers.PAPERS for experiment, name in paper.figures}
    figures = [product for product in jobs.products(config) if product.kind == "figures"]
    return [figure.stem for figure in figures if figure.across or figure.stem in first]
