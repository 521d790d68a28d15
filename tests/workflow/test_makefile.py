"""How make builds the environment: a stub stands for Python and pip, so that nothing is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PYTHON = """#!/bin/sh
case "$*" in
"-m venv --clear .venv")
    rm -rf .venv && mkdir -p .venv/bin && cp pip .venv/bin/pip && cp "$0" .venv/bin/python ;;
esac
"""
PIP = """#!/bin/sh
echo "$*" >> pip.log
mkdir -p .venv/lib
case "$*" in *--dry-run*) test ! -e offline; exit ;; esac
if [ -e kill ]; then rm kill; touch .venv/lib/half; kill -9 $$; fi
"""


@pytest.fixture
def checkout(project, tmp_path):
    """A function that makes a folder of this name with the Makefile and the stubs."""

    def at(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(project / "Makefile", folder)
        for text in ("requirements.lock", "pyproject.toml"):
            (folder / text).touch()
        for stub, code in (("python3", PYTHON), ("pip", PIP)):
            (folder / stub).write_text(code)
            (folder / stub).chmod(0o755)
        return folder

    return at


def make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["make", "PYTHON=./python3", *arguments],
        cwd=folder,
        # not those of a make that runs these tests
        env={k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"} | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("update", [False, True])
def test_what_a_kill_of_pip_leaves_behind_is_made_anew(checkout, update):
    folder = checkout("tvgp")
    stamp, half = folder / ".venv" / ".installed", folder / ".venv" / "lib" / "half"
    if update:
        assert make(folder, ".venv/.installed").returncode == 0 and stamp.exists()
        os.utime(folder / "requirements.lock", (2e9, 2e9))
    (folder / "kill").touch()
    assert make(folder, ".venv/.installed").returncode != 0
    assert half.exists() and not stamp.exists()
    assert make(folder, ".venv/.installed").returncode == 0
    assert stamp.exists() and not half.exists()


def test_an_update_keeps_the_environment(checkout):
    folder = checkout("tvgp")
    assert make(folder, ".venv/.installed").returncode == 0
    (folder / ".venv" / "lib" / "kept").touch()
    os.utime(folder / "requirements.lock", (2e9, 2e9))
    assert make(folder, ".venv/.installed").returncode == 0
    assert (folder / ".venv" / "lib" / "kept").exists()
    assert len((folder / "pip.log").read_text().splitlines()) == 4


def test_a_kill_of_pip_within_a_benchmark_heals_as_well(checkout):
    folder = checkout("tvgp")
    stamp, half = folder / ".venv" / ".installed", folder / ".venv" / "lib" / "half"
    assert make(folder, ".venv/.installed").returncode == 0
    (folder / "kill").touch()
    assert make(folder, "bench").returncode != 0
    assert half.exists() and not stamp.exists()
    assert make(folder, "bench").returncode == 0
    assert stamp.exists() and not half.exists()
    assert (folder / "pip.log").read_text().splitlines()[-1].endswith("-e .[bench]")


def test_an_offline_benchmark_leaves_the_environment_unchanged(checkout):
    folder = checkout("tvgp")
    (folder / "offline").touch()
    done = make(folder, "bench")
    assert done.returncode == 0 and "Not all peers can be installed" in done.stdout
    assert (folder / ".venv" / ".installed").exists()
    assert "--dry-run" in (folder / "pip.log").read_text().splitlines()[-1]


def test_nothing_is_fetched_to_build_the_package(checkout):
    folder = checkout("tvgp")
    assert make(folder, ".venv/.installed").returncode == 0
    *_, last = (folder / "pip.log").read_text().splitlines()
    assert last.endswith("--no-build-isolation --no-deps -e .")


@pytest.mark.parametrize("name", ["a b", "$(touch x)", "a;b", "a'b", "{scale}", "a#b"])
@pytest.mark.parametrize("target", [".venv/.installed", "study"])
def test_paths_with_a_meaning_are_refused(checkout, name, target):
    folder = checkout(name)
    before = sorted(folder.iterdir())
    done = make(folder, target)
    assert done.returncode != 0
    assert len(done.stdout.splitlines()) == 1 and "The path of this folder has a space" in done.stdout
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["tvgp-0.1.0_b", "t\u00e4glich", "a@b+c,d=e~f"])
def test_paths_with_harmless_characters_are_accepted(checkout, name):
    assert make(checkout(name), ".venv/.installed").returncode == 0


def test_caches_go_elsewhere_where_the_home_cannot_be_written(checkout):
    folder = checkout("tvgp")
    (folder / "pip").write_text("#!/bin/sh\necho $XDG_CACHE_HOME >> cache\n")
    for home, expected in (("/proc/none", f"{folder}/.snakemake/cache"), (str(folder), "")):
        shutil.rmtree(folder / ".venv", ignore_errors=True)
        (folder / "cache").unlink(missing_ok=True)
        assert make(folder, ".venv/.installed", HOME=home, XDG_CACHE_HOME="").returncode == 0
        assert (folder / "cache").read_text().splitlines() == [expected] * 2


def test_help_lists_every_target_without_an_environment(checkout):
    folder = checkout("tvgp")
    shown = make(folder, "help")
    assert shown.returncode == 0 and not (folder / ".venv").exists()
    (listed,) = re.findall(r"^\.PHONY: (.*)", (folder / "Makefile").read_text(), re.M)
    targets = [line.split()[1] for line in shown.stdout.splitlines() if line.startswith("  make ")]
    assert sorted(targets) == sorted({*listed.split()} - {"path"})


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["study"], "run quick --yes --cores 3"),
        (["study", "V=1"], "run quick --yes --cores 3 --verbose"),
        (["paper"], "run paper --yes --cores 3"),
        (["publish", "PARTS=janz20"], "run published/janz20 --yes --cores 3"),
    ],
)
def test_a_study_calls_the_command_and_keeps_its_failure(checkout, arguments, expected):
    folder = checkout("tvgp")
    assert make(folder, ".venv/.installed").returncode == 0
    command = folder / ".venv" / "bin" / "tvgp"
    command.write_text('#!/bin/sh\necho "$*" > called\nexit 3\n')
    command.chmod(0o755)
    done = make(folder, *arguments, "CORES=3")
    assert done.returncode != 0 and "Error 3" in done.stderr
    assert (folder / "called").read_text().strip() == expected
