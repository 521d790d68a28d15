"""Running the real workflow in temporary directories, from a copy of the checkout."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.torture.running import descendants, kill

COPIED = ("Snakefile", "config", "profiles", "workflow", "src")
VOLATILE = ("timings", "logs", "kept", "tables/timing.csv")

# One synthetic experiment in a handful of rounds: every stage but the data, in seconds.
TINY = {
    "scale": "tiny",
    "results": "results/tiny",
    "resources": "resources/tiny",
    "data": "standin",
    "seeds_per_job": 2,
    "selection": {
        "experiments": ["rkhs_sine"],
        "policies": ["sparq_gp_ucb", "sw_gp_ucb_tuned", "oracle"],
        "figures": [],
        "tables": ["regret"],
        "analyses": [],
    },
    "experiments": {
        "rkhs_sine": {
            "environment": {"parameters": {"n_arms": 41}},
            "horizon": 12,
            "seeds": 3,
            "alphas": ["1"],
            "training": {"queries": 30, "starts": 1},
        }
    },
    "policies": {"sw_gp_ucb_tuned": {"parameters": {"window": {"tune": [3, 6]}}}},
    "tuning": {"seeds": 1},
}


@dataclass
class Checkout:
    """A copy of the project's workflow and library that a test may edit."""

    root: Path

    def command(self, directory: Path, *arguments: str) -> list[str]:
        """Command line of a run in `directory`."""
        return [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            str(self.root / "Snakefile"),
            "--workflow-profile",
            str(self.root / "profiles" / "default"),
            "--directory",
            str(directory),
            *arguments,
        ]

    @property
    def environment(self) -> dict[str, str]:
        """The copy's own library comes before the installed one."""
        return os.environ | {"PYTHONPATH": str(self.root / "src")}

    def snakemake(self, directory: Path, *arguments: str) -> subprocess.CompletedProcess:
        """Run to the end; stdout and stderr in one text."""
        directory.mkdir(parents=True, exist_ok=True)
        return subprocess.run(
            self.command(directory, *arguments),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=3600,
        )

    def study(self, directory: Path, config: dict, *arguments: str, cores: int = 2):
        """Run a study given as an overlay of the default configuration."""
        return self.snakemake(directory, *self._arguments(directory, config, cores), *arguments)

    def _arguments(self, directory: Path, config: dict, cores: int) -> tuple[str, ...]:
        """Arguments of a study whose configuration is put into its directory."""
        directory.mkdir(parents=True, exist_ok=True)
        overlay = directory / "overlay.yaml"
        overlay.write_text(yaml.safe_dump(config))
        return ("--cores", str(cores), "--configfile", str(overlay))

    def _start(self, directory: Path, config: dict, cores: int, own_session: bool) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(directory, *self._arguments(directory, config, cores)),
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=own_session,
        )

    def kill_after(self, directory: Path, config: dict, pattern: str) -> None:
        """Start a study and kill all of it, as a power cut would, once a file appears."""
        process = self._start(directory, config, 2, own_session=True)
        deadline = time.monotonic() + 3600
        while not list(directory.glob(pattern)):
            assert process.poll() is None, "the study ended before it could be killed"
            assert time.monotonic() < deadline, f"no {pattern} after an hour"
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def kill_worker(self, directory: Path, config: dict, script: str) -> int:
        """Start a study, kill the first job of `script` as the out-of-memory killer would; exit code."""
        process = self._start(directory, config, 1, own_session=False)
        workers: list[int] = []
        while not workers:
            assert process.poll() is None, f"the study ended before a job of {script} could be killed"
            workers = [pid for pid in descendants(process.pid) if script in _command_line(pid)]
            time.sleep(0.01)
        kill(workers)
        return process.wait()


def _command_line(pid: int) -> str:
    """Command line of a process, "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def results_digest(folder: Path, *, blocks: bool = False) -> dict[str, str]:
    """sha256 of every results file that must be the same in every run of a study.

    blocks: whether to include the blocks of runs, which differ with the block size.
    """
    excluded = VOLATILE if blocks else (*VOLATILE, "runs")
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not str(path.relative_to(folder)).startswith(excluded)
    }


@pytest.fixture(scope="session")
def tiny() -> dict:
    """The tiny study."""
    return TINY


@pytest.fixture
def checkout(pristine, tmp_path) -> Checkout:
    """A copy that the test may edit."""
    return copy_of(pristine.root, tmp_path / "checkout")


@pytest.fixture(scope="session")
def pristine(project, tmp_path_factory) -> Checkout:
    """A copy that no test edits."""
    return copy_of(project, tmp_path_factory.mktemp("pristine") / "checkout")


@pytest.fixture(scope="session")
def reference(pristine, tiny, tmp_path_factory) -> Path:
    """The tiny study on two cores in blocks of two seeds; tests read it only."""
    directory = tmp_path_factory.mktemp("reference")
    run = pristine.study(directory, tiny, cores=2)
    assert run.returncode == 0, run.stdout
    return directory


def copy_of(project: Path, root: Path) -> Checkout:
    """Copy the parts of the checkout that a study needs."""
    root.mkdir(parents=True)
    leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in COPIED:
        source = project / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=leave)
        else:
            shutil.copy2(source, root / name)
    return Checkout(root)
