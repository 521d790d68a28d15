"""The same bytes for any number of cores, any block size, and after a kill."""

import copy
import csv
import json
import platform
from dataclasses import replace
from pathlib import Path

import netCDF4
import pytest

from tvgp.study.execution import files, netcdf

from .conftest import results_digest

pytestmark = pytest.mark.slow


def test_a_killed_study_on_one_core_ends_with_the_same_bytes(pristine, tiny, reference, tmp_path):
    """In blocks of single seeds; and it plays no block again that was finished."""
    single = copy.deepcopy(tiny) | {"seeds_per_job": 1}
    times = "results/tiny/timings/runs/*/*/*/[!.]*.json"
    pristine.kill_after(tmp_path, single, times)  # the later of a block's two files
    runs, finished = tmp_path / "results/tiny/runs", [path.stem for path in tmp_path.glob(times)]
    played = {path: path.stat().st_mtime_ns for path in runs.rglob("[!.]*.nc") if path.stem in finished}
    assert played
    assert not (tmp_path / "results/tiny/report.html").exists()
    unlocked = pristine.study(tmp_path, single, "--unlock")
    assert unlocked.returncode == 0, unlocked.stdout
    run = pristine.study(tmp_path, single, cores=1)
    assert run.returncode == 0, run.stdout
    ours, theirs = (results_digest(d / "results/tiny") for d in (tmp_path, reference))
    assert ours == theirs
    assert {"collected/rkhs_sine.nc", "check.json"} <= set(ours)
    assert not list(tmp_path.rglob(".part-*"))
    assert {path: path.stat().st_mtime_ns for path in played} == played


def test_jobs_compute_with_what_processors_have_in_common(reference):
    blocks = sorted(reference.glob("results/tiny/runs/*/*/*/*.nc"))
    with netcdf.reading(blocks[0]) as file:
        versions = json.loads(file.versions)
    assert versions["processor"] == "x86-64, common" or platform.machine() not in ("x86_64", "AMD64")


def test_a_finished_study_has_nothing_left_to_do(pristine, tiny, reference):
    run = pristine.study(reference, tiny, "--dry-run")
    assert "Nothing to be done" in run.stdout, run.stdout


def test_every_run_is_collected_and_timed(reference):
    with netcdf.reading(reference / "results/tiny/collected/rkhs_sine.nc") as file:
        asked = dict(zip(file["policy"][...], file["expert_queries"][...].sum(axis=(1, 3)), strict=True))
    assert len(asked) == 3 and all(runs.shape == (3,) for runs in asked.values())
    assert (asked["sparq_gp_ucb"] > 0).all()
    with open(reference / "results/tiny/tables/timing.csv", newline="") as stream:
        runs = {(row["policy"], row["seed"]) for row in csv.DictReader(stream)}
    assert len(runs) == 3 * 3


def test_the_check_recomputes_every_regret(reference):
    report = files.read_object(reference / "results/tiny/check.json")
    (entry,) = report.values()
    assert entry["runs"] == 9
    assert entry["regret recomputed from the arms"] == 9 * 12


def test_check_finds_a_changed_regret(pristine, tiny, finished):
    (path,) = finished.glob("results/tiny/runs/rkhs_sine/sparq_gp_ucb/alpha-1/seeds-3-3.*.nc")
    manifest = finished / "results/tiny/runs/run_rkhs_sine/alpha-1/seeds-3-3.json"
    listed = files.read_object(manifest)
    with netCDF4.Dataset(path, "a") as file:
        file["regret"][0, 5] += 1e-6
    netcdf.seal(path)
    run = pristine.study(finished, tiny, "--forcerun", "collect", "--until", "collect")
    assert run.returncode != 0
    replaced = f"ERROR: {path.relative_to(finished)}: damaged or replaced; delete it and repeat"
    assert replaced in run.stdout, run.stdout
    listed["products"] = {
        name: files.digest(path) if Path(name).name == path.name else known
        for name, known in listed["products"].items()
    }
    files.write_object(manifest, listed)
    run = pristine.study(finished, tiny, "--forcerun", "collect", "--until", "collect")
    assert run.returncode != 0
    line = "rkhs_sine: regret differs from its recomputation: policy sparq_gp_ucb"
    assert f"{line}, alpha 1, seed 3, round 6" in run.stdout
    assert "Traceback" not in run.stdout


def test_a_damaged_file_is_named_and_its_remedy_works(pristine, tiny, reference, finished):
    """By jobs that import the library themselves, with the bytes of forks."""
    results = finished / "results/tiny"
    (results / "report.html").unlink()
    block = next((results / "runs").rglob("*.nc"))
    content = bytearray(block.read_bytes())
    content[len(content) // 2] ^= 1
    block.write_bytes(content)
    run = pristine.study(finished, tiny)
    assert run.returncode != 0 and "Traceback" not in run.stdout
    assert f"{block.name}: damaged, wrong digest; delete the file and run" in run.stdout
    block.unlink()
    run = replace(pristine, tried=False, server={}).study(
        finished, tiny
    )  # as a first study, and on a cluster
    assert run.returncode == 0, run.stdout[-2000:]
    expected = results_digest(reference / "results/tiny", blocks=True)
    assert results_digest(results, blocks=True) == expected
