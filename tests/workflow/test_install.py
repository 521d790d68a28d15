"""The library installs into an empty environment with NumPy and SciPy alone, and runs."""

import subprocess
import sys
import tarfile
import venv

import pytest

LIBRARY = {"numpy", "scipy", "tvgp", "pip", "setuptools"}


def _run(*command, cwd):
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Skip without a package index."""
    target = tmp_path_factory.mktemp("index")
    answer = _run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "setuptools", cwd=target)
    if answer.returncode:
        pytest.skip("no package index can be reached")


@pytest.mark.slow
def test_the_library_needs_numpy_and_scipy_only(project, tmp_path, index, library_example):
    venv.create(tmp_path / "empty", with_pip=True)
    python = str(tmp_path / "empty" / "bin" / "python")
    installed = _run(python, "-m", "pip", "install", "-q", str(project), cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    listed = _run(python, "-m", "pip", "list", "--format=freeze", cwd=tmp_path).stdout
    assert {line.split("==")[0] for line in listed.split()} <= LIBRARY
    played = _run(python, "-c", library_example, cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    assert played.stdout.startswith("next arm")
    extracts = list((tmp_path / "empty").glob("lib/python*/site-packages/tvgp/study/datasets/extracts/*/*"))
    assert {path.suffix for path in extracts} >= {".csv", ".zip"}
    assert sum(path.stat().st_size for path in extracts) < 2e6


@pytest.mark.slow
def test_the_source_distribution_holds_what_a_reader_needs(project, tmp_path, index):
    code = "from setuptools import build_meta; import sys; print(build_meta.build_sdist(sys.argv[1]))"
    venv.create(tmp_path / "build", with_pip=True)
    python = str(tmp_path / "build" / "bin" / "python")
    assert _run(python, "-m", "pip", "install", "-q", "setuptools>=77", cwd=tmp_path).returncode == 0
    copy = tmp_path / "checkout"
    _run("git", "clone", "-q", str(project), str(copy), cwd=tmp_path)
    built = _run(python, "-c", code, str(tmp_path), cwd=copy)
    assert built.returncode == 0, built.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
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
