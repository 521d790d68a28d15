"""The library installs into an empty environment with NumPy and SciPy alone, and runs."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile

import numpy as np
import pytest

from tvgp.live import Live


def _run(*command, cwd):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Skip without a package index."""
    target = tmp_path_factory.mktemp("index")
    answer = _run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "setuptools", cwd=target)
    if answer.returncode:
        pytest.skip("no package index can be reached")


@pytest.fixture(scope="module")
def built(project, tmp_path_factory):
    """A folder with wheel and source distribution of the last commit."""
    folder = tmp_path_factory.mktemp("built")
    _run("git", "clone", "-q", str(project), "checkout", cwd=folder)
    for kind in ("wheel", "sdist"):
        code = f"from setuptools import build_meta; build_meta.build_{kind}({str(folder)!r})"
        done = _run(sys.executable, "-c", code, cwd=folder / "checkout")
        assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_library_needs_numpy_and_scipy_only(tmp_path, built, index, library_example):
    venv.create(tmp_path / "empty")
    python = str(tmp_path / "empty" / "bin" / "python")
    pip = (sys.executable, "-m", "pip", "--python", python)
    wheel = str(next(built.glob("*.whl")))
    installed = _run(*pip, "install", "-q", "--no-compile", wheel, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    listed = _run(*pip, "list", "--format=freeze", cwd=tmp_path).stdout
    assert {line.split("==")[0] for line in listed.split()} == {"numpy", "scipy", "tvgp"}
    played = _run(python, "-c", library_example, cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    assert played.stdout.startswith("next arm")
    extracts = list((tmp_path / "empty").glob("lib/python*/site-packages/tvgp/study/datasets/extracts/*/*"))
    assert {path.suffix for path in extracts} >= {".csv", ".zip"}
    assert sum(path.stat().st_size for path in extracts) < 2e6


@pytest.mark.slow
def test_an_empty_folder_is_enough_for_a_study(tmp_path, built):
    """With the extra `study` alone: numba would compile in this new place; `make dist` draws all figures."""
    wheel, folder = tmp_path / "wheel", tmp_path / "empty"
    with zipfile.ZipFile(next(built.glob("*.whl"))) as packed:
        packed.extractall(wheel)
    (wheel / "numba.py").write_text("raise ImportError")
    folder.mkdir()
    fewer = {
        "selection": {"figures": ["average_regret"]},
        "experiments": {"mine": {"horizon": 20, "seeds": 2}},
    }
    (folder / "own.yaml").write_text(json.dumps(fewer))
    days = np.arange("2024-01-01", "2024-05-01", dtype="datetime64[D]")
    rows = [f"{day},{k % 7},{(5 * k) % 11}" for k, day in enumerate(days)]
    (folder / "values.csv").write_text("\n".join(["time,a,b", *rows, ""]))

    def tvgp(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(wheel)}
        done = subprocess.run(
            [sys.executable, "-m", "tvgp", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    assert f"{wheel}/tvgp/study/packaged/docs/your_data.md" in tvgp(
        "add-data", "values.csv", "--name", "mine", "--anomaly", "site_mean"
    )
    study = ("mine", "own.yaml")
    assert "What to do: " in tvgp("run", *study, "--cores", "2")
    page = folder / "results" / "mine" / "report.html"
    assert tvgp("report", *study) == f"{page}\n"
    assert "unknown (tvgp is installed from a wheel)" in page.read_text()
    assert tvgp("verify", *study) == "Every file is as recorded\n"
    assert tvgp("archive", *study).startswith(f"{folder}/results/mine.zip: ")
    live = folder / "results" / "mine" / "live" / "mine"
    for name in ("policy.db", "reading.db", "reading_after.db"):
        with Live.load(live / name) as started:
            assert started.names == ["a", "b"]
    assert set(json.loads((live / "season.json").read_text())) >= {"a", "b"}
    assert sorted(each.name for each in folder.iterdir()) == [
        *(".snakemake", "config", "data", "own.yaml", "resources", "results", "values.csv")
    ]
    assert "is not an overlay of your own data" in refused(tvgp, "add-data", "values.csv", "--name", "quick")
    assert "sparq_gp_ucb costs less in" in tvgp("compare", "sparq_gp_ucb", "st_gp_ucb")
    assert "ozone" in tvgp("list", "datasets")
    assert "docs/templates/ here; change to a checkout" in refused(tvgp, "publish")


def refused(command, *arguments):
    """What a command that must fail says."""
    with pytest.raises(AssertionError) as stopped:
        command(*arguments)
    return str(stopped.value)


@pytest.mark.slow
def test_the_source_distribution_holds_what_a_reader_needs(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in (
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "data/raw/README.md",
        "docs/differences.md",
        "src/tvgp/py.typed",
        "src/tvgp/study/datasets/extracts/README.md",
        "src/tvgp/study/datasets/extracts/intel_lab/intelTemperatureTest.csv",
        "src/tvgp/study/datasets/extracts/ozone_nc/ozone_NC_2020.zip",
        "tests/conftest.py",
        "workflow/schemas/config.schema.yaml",
    ):
        assert wanted in names, wanted
