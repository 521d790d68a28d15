"""Running the real workflow in temporary directories, from a copy of the checkout."""

import copy
import hashlib
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Self

import pytest
import yaml

from tests.torture.running import descendants, kill, pinned, warm
from tvgp.study.config import loading
from tvgp.study.execution import answer_cache, forkserver

COPIED = ("Snakefile", "config", "profiles", "workflow", "src")
VOLATILE = ("timings", "logs", "tables/timing.csv")

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
class Finished:
    """Exit code, and stdout and stderr in one text, of a Snakemake that has ended."""

    returncode: int
    stdout: str


@dataclass
class Checkout:
    """A copy of the project's workflow and library.

    Snakemake starts as a fork of this process, which has imported it already; its jobs are processes of
    their own.
    edited: whether the copy's library may differ from the one in this process, and is imported anew.
    tried: whether a trial of the processor is handed to studies; otherwise each makes its own.
    server: the environment with which jobs find a fork server of this copy, as those of `tvgp run` do;
    otherwise each imports the library.
    """

    root: Path
    edited: bool = True
    tried: bool = True
    server: dict[str, str] = field(default_factory=dict)

    def command(self, directory: Path, *arguments: str) -> list[str]:
        """Snakemake's arguments for a run in `directory`."""
        return [
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
        known = pinned() if self.tried else {}
        return os.environ | known | {"PYTHONPATH": str(self.root / "src")} | self.server

    @contextmanager
    def served(self) -> Iterator[Self]:
        """This copy with a fork server, for as long as it is not edited."""
        with forkserver.running(self.environment) as environment:
            yield replace(self, server=dict(environment.items() - os.environ.items()))

    def snakemake(self, directory: Path, *arguments: str) -> Finished:
        """Run to the end."""
        directory.mkdir(parents=True, exist_ok=True)
        command = self.command(directory, *arguments)
        with tempfile.TemporaryFile("w+") as output:
            process = self._started(command, output)
            process.join()
            output.seek(0)
            return Finished(process.exitcode, output.read())

    def study(self, directory: Path, config: dict, *arguments: str, cores: int = 2):
        """Run a study given as an overlay of the default configuration."""
        return self.snakemake(directory, *self._arguments(directory, config, cores), *arguments)

    def _arguments(self, directory: Path, config: dict, cores: int) -> tuple[str, ...]:
        """Arguments of a study whose configuration is put into its directory."""
        directory.mkdir(parents=True, exist_ok=True)
        overlay = directory / "overlay.yaml"
        overlay.write_text(yaml.safe_dump(config))
        return ("--cores", str(cores), "--configfile", str(overlay))

    def _started(
        self, command: list[str], output: IO[str], own_session: bool = False
    ) -> multiprocessing.process.BaseProcess:
        """A running Snakemake, with all that it starts in a session of its own or not."""
        how = (command, self.environment, output.fileno(), self.edited, own_session)
        process = multiprocessing.get_context("fork").Process(target=_snakemake, args=how)
        process.start()
        return process

    def _start(self, directory: Path, config: dict, own_session: bool) -> multiprocessing.process.BaseProcess:
        """A running study on one core."""
        command = self.command(directory, *self._arguments(directory, config, cores=1))
        with open(os.devnull, "w") as output:
            return self._started(command, output, own_session)

    def kill_after(self, directory: Path, config: dict, pattern: str) -> None:
        """Start a study on one core and kill all of it, as a power cut would, once a file appears."""
        process = self._start(directory, config, own_session=True)
        deadline = time.monotonic() + 3600
        while not list(directory.glob(pattern)):
            assert process.is_alive(), "the study ended before it could be killed"
            assert time.monotonic() < deadline, f"no {pattern} after an hour"
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.join()

    def kill_worker(self, directory: Path, config: dict, script: str) -> int:
        """Start a study, kill the first job of `script` as the out-of-memory killer would; exit code."""
        process = self._start(directory, config, own_session=False)
        workers: list[int] = []
        while not workers:
            assert process.is_alive(), f"the study ended before a job of {script} could be killed"
            workers = [pid for pid in descendants(process.pid) if script in _command_line(pid)]
            time.sleep(0.02)
        kill(workers)
        process.join()
        return process.exitcode


def _snakemake(
    command: list[str], environment: dict[str, str], output: int, edited: bool, own_session: bool
) -> None:
    """What `python -m snakemake` does, in a child of this process."""
    if own_session:
        os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout, sys.stderr = (open(fd, "w", buffering=1, closefd=False) for fd in (1, 2))
    warnings.simplefilter("default")  # pytest has made some of them errors
    os.environ.update(environment)
    if edited:
        sys.path.insert(0, environment["PYTHONPATH"])
        for name in [name for name in sys.modules if name.partition(".")[0] == "tvgp"]:
            del sys.modules[name]
    sys.argv = ["snakemake", *command]  # which Snakemake passes on to jobs
    try:
        importlib.import_module("snakemake.cli").main(command)
    finally:
        importlib.import_module(answer_cache.__name__).keep()  # at exit, which is not for forks


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
def checkout(project, tmp_path) -> Checkout:
    """A copy that the test may edit."""
    return copy_of(project, tmp_path / "checkout")


@pytest.fixture(scope="session")
def pristine(project, tiny, tmp_path_factory) -> Iterator[Checkout]:
    """A copy that no test edits: what happens to the project meanwhile does not reach its jobs."""
    root = copy_of(project, tmp_path_factory.mktemp("pristine") / "checkout").root
    warm(root, loading.merged(loading.read(root / "config"), tiny))
    with Checkout(root, edited=False).served() as checkout:
        yield checkout


@pytest.fixture(scope="session")
def reference(pristine, tiny, tmp_path_factory) -> Path:
    """The tiny study on two cores in blocks of two seeds; tests read it only."""
    directory = tmp_path_factory.mktemp("reference")
    run = pristine.study(directory, tiny, cores=2)
    assert run.returncode == 0, run.stdout
    return directory


@pytest.fixture(scope="session")
def changed(tiny) -> dict:
    """The tiny study with another parameter of one policy."""
    config = copy.deepcopy(tiny)
    config["policies"]["sparq_gp_ucb"] = {"parameters": {"delta": 0.9}}
    return config


@pytest.fixture(scope="session")
def updated(pristine, reference, changed, tmp_path_factory) -> Path:
    """The finished tiny study, updated to `changed`; tests read it only."""
    directory = shutil.copytree(reference, tmp_path_factory.mktemp("updated") / "study")
    run = pristine.study(directory, changed)
    assert run.returncode == 0, run.stdout
    return directory


@pytest.fixture
def finished(reference, tmp_path) -> Path:
    """A copy of the finished tiny study."""
    return shutil.copytree(reference, tmp_path / "study")


def copy_of(project: Path, root: Path) -> Checkout:
    """Copy the parts of the checkout that a study needs, with what Python and numba have compiled of them."""
    importlib.import_module("snakemake.cli")  # for the forks of this process
    root.mkdir(parents=True)
    leave = shutil.ignore_patterns("*.egg-info", "*.pyc.*", "*.tmp.*")  # what is being compiled meanwhile
    for name in COPIED:
        source = project / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=leave)
        else:
            shutil.copy2(source, root / name)
    return Checkout(root)
