"""Stages of the workflow in a child process, with limits of time and memory."""

import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from tvgp.study import datasets
from tvgp.study.data import download, field, raw_files, splits
from tvgp.study.execution import errors

ROOT = Path(__file__).resolve().parents[2]
SECONDS, BYTES = 60, 2 << 30  # of processor time and of memory, per case; most take below a second


def refusal(project: Path, work: Callable[[], object], names: Sequence[str]) -> str:
    """Do the work in `project`: "" when it succeeds, else its one line of error.

    Fails for anything else: a traceback, another exit code, more lines, a line without one of the
    names, a time or memory beyond the limits, a file half-written.
    """
    with tempfile.TemporaryFile() as stream:
        code = _child(project, work, stream.fileno())
        stream.seek(0)
        text = stream.read().decode(errors="replace")
    errors = [line for line in text.splitlines() if line.startswith("ERROR")]
    assert code in (0, 1) and "Traceback" not in text, f"exit code {code}: {text[-1000:]}"
    assert len(errors) == code, f"exit code {code} with {len(errors)} lines of error: {text[-1000:]}"
    assert not code or any(name in errors[0] for name in names), f"names none of {names}: {errors[0]}"
    half = [path for path in project.rglob("*") if path.name.startswith(".part-")]
    assert not half, f"half-written: {half}"
    return errors[0] if code else ""


@cache
def _aside() -> ProcessPoolExecutor:
    """A process with the loaders alone: a fork of this one, which holds all tests, takes 40 ms."""
    return ProcessPoolExecutor(1, get_context("spawn"), initializer=_loaders)


def _loaders() -> None:
    for name in datasets.names():
        datasets.declaration(name)


def refusal_of_files(project: Path, settings: dict, names: Sequence[str]) -> str:
    """`refusal` of raw files by their loader."""
    work = partial(raw_to_parts, settings["loader"], settings)
    return _aside().submit(refusal, project, work, names).result()


def _child(project: Path, work: Callable[[], object], stream: int) -> int:
    """Exit code of a forked child, negative where a limit ended it."""
    pid = os.fork()
    if pid:
        end = time.monotonic() + 20 * SECONDS  # others may have the processors
        while not (done := os.waitpid(pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)
        return os.waitstatus_to_exitcode(done[1])
    code = 70
    try:
        os.chdir(project)
        warnings.simplefilter("default")  # as in a study, where pytest has made some of them errors
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        sys.stdout, sys.stderr = (open(fd, "w", buffering=1, closefd=False) for fd in (1, 2))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(end.code + "\n")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def raw_to_parts(dataset: str, settings: dict) -> None:
    """What the rules download, grid and split do for one dataset, in the working directory."""
    loader = datasets.configured(settings)
    with errors.one_line_errors():
        found = raw_files.obtain(settings, loader.patterns, download.fetch, None, loader.write_standin, print)
        raw_files.write_manifest("raw.json", dataset, found)
        result, quality = datasets.grid(dataset, settings, raw_files.read_manifest("raw.json"))
        field.write_field("field.nc", result)
        field.write_quality("quality.csv", quality)
        train, test = splits.split(field.read_field("field.nc"), **datasets.split_settings(settings))
        field.write_field("train.nc", train)
        field.write_field("test.nc", test)
