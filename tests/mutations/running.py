"""Scripts of the workflow in a child process, with limits of time and memory."""

import os
import resource
import runpy
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

from tvgp.study import datasets

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "workflow" / "scripts"
SECONDS, BYTES = 10, 2 << 30  # of processor time and of memory, per case


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


def _child(project: Path, work: Callable[[], object], stream: int) -> int:
    """Exit code of a forked child, negative where a limit ended it."""
    pid = os.fork()
    if pid:
        end = time.monotonic() + 30 * SECONDS  # others may have the processors
        while not (done := os.waitpid(pid, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)
        return os.waitstatus_to_exitcode(done[1])
    code = 70
    try:
        os.chdir(project)
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


class Files(list):
    """What Snakemake hands to a script as input or output: a list, some items with names."""

    def __init__(self, *paths: str, **named: str):
        super().__init__([*paths, *named.values()])
        self.__dict__.update(named)

    def get(self, name: str) -> str | None:
        return self.__dict__.get(name)


def script(name: str, **objects: object) -> None:
    """Run a script of the workflow as its rule does."""
    rule = SimpleNamespace(**objects, log=[f"logs/{name}.log"])
    runpy.run_path(str(SCRIPTS / f"{name}.py"), {"snakemake": rule})


def raw_to_parts(dataset: str, settings: dict) -> None:
    """The rules download, grid and split of one dataset."""
    names = SimpleNamespace(dataset=dataset)
    raw, field = Files("parts/raw.json"), Files(field="parts/field.nc", quality="parts/quality.csv")
    parts = Files(train="parts/train.nc", test="parts/test.nc")
    script("download", wildcards=names, output=raw, params=SimpleNamespace(settings=settings))
    for step, before, after, own in (
        ("grid", raw, field, datasets.grid_settings(settings)),
        ("split", field, parts, datasets.split_settings(settings)),
    ):
        script(step, wildcards=names, input=before, output=after, params=SimpleNamespace(settings=own))
