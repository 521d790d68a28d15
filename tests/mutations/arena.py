"""One mutation in a process of its own: with limits, and watched for writes outside its folder."""

import os
import resource
import runpy
import shutil
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "workflow" / "scripts"
SECONDS, BYTES = 10.0, 2 << 30
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = {  # audit events that change the file system, and which arguments are paths
    "os.rename": (0, 1),
    "os.link": (0, 1),
    "os.symlink": (1,),
    "os.remove": (0,),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.truncate": (0,),
    "os.chmod": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
    "shutil.move": (0, 1),
}
_RUNS = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "socket.connect",
    "pty.spawn",
)


@dataclass
class Outcome:
    """How one mutation ended."""

    code: int | None  # None: ended by the limit of time
    seconds: float
    bytes: int
    output: str
    outside: list[str]

    @property
    def errors(self) -> list[str]:
        return [line for line in self.output.splitlines() if line.startswith("ERROR")]


class Run:
    """A forked child that does `work()` in `folder`/project and may change nothing else."""

    def __init__(self, folder: Path, work):
        self.folder, self.project = folder, folder / "project"
        self.project.mkdir(parents=True, exist_ok=True)
        for name in ("home", "temporary"):
            (folder / name).mkdir(exist_ok=True)
        (folder / "sentinel.txt").write_text("stays as it is\n")
        self.before = _tree(folder)
        self.started, self.waited = time.monotonic(), 0.0
        self.pid = os.fork()
        if not self.pid:
            self._child(work)

    def ended(self) -> Outcome | None:
        """The outcome, None while it runs; ends it when its time is over."""
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        code = None
        if pid:
            code = os.waitstatus_to_exitcode(status)
        else:
            self.waited = _waited(self.pid)
        seconds = time.monotonic() - self.started - self.waited
        if not pid and seconds < SECONDS:
            return None
        if not pid:
            os.killpg(self.pid, signal.SIGKILL)
            _, _, usage = os.wait4(self.pid, 0)
        output = (self.folder / "output.txt").read_text(encoding="utf-8", errors="replace")
        seen = self.folder / "outside.txt"
        outside = seen.read_text().splitlines() if seen.exists() else []
        own = {"output.txt", "outside.txt"}
        after = _tree(self.folder)
        changed = {name for name in {*self.before, *after} if self.before.get(name) != after.get(name)}
        outside += [f"changed {name}" for name in sorted(changed - own)]
        return Outcome(code, seconds, usage.ru_maxrss * 1024, output, outside)

    def _child(self, work):
        os.setpgid(0, 0)
        os.chdir(self.project)
        stream = os.open(self.folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        sys.stdout = open(1, "w", buffering=1, closefd=False)
        sys.stderr = open(2, "w", buffering=1, closefd=False)
        os.environ |= {"HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "temporary")}
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + BYTES, size + BYTES))
        seen = os.open(self.folder / "outside.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        inside = os.path.realpath(self.project)
        scratch = (str(self.folder / "temporary"), str(self.folder / "home" / ".cache"))
        allowed = ("/dev/null", "/dev/tty", "/dev/urandom", "/dev/shm/", "/proc/self", *scratch)

        def watch(event, arguments):
            if event == "subprocess.Popen" and os.path.basename(arguments[0]) in ("uname", "git"):
                return  # the platform module, and the commit for the results
            if event in _RUNS:
                os.write(seen, f"{event} {arguments[:2]!r}\n".encode()[:300])
                return
            if event == "open":
                path, mode, flags = arguments
                if isinstance(path, int) or not (flags & _WRITING):
                    return
                paths = [path]
            elif event in _PATHS:
                paths = [arguments[index] for index in _PATHS[event]]
            else:
                return
            for path in paths:
                place = os.path.realpath(os.fsdecode(path))
                if place != inside and not place.startswith((inside + "/", *allowed)):
                    os.write(seen, f"{event} {place!r}\n".encode()[:300])

        sys.addaudithook(watch)
        code = 1
        try:
            work()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                sys.stderr.write(end.code + "\n")
        except BaseException:
            traceback.print_exc()
            code = 70
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


class Files(list):
    """What Snakemake hands to a script as input or output: a list, some with names."""

    def __init__(self, *paths, **named):
        super().__init__([*paths, *named.values()])
        self.__dict__.update(named)

    def get(self, name):
        return self.__dict__.get(name)


def script(name: str, log: str, **objects) -> None:
    """Run a script of the workflow as its rule does."""
    names = SimpleNamespace(**objects, log=[log])
    runpy.run_path(str(SCRIPTS / f"{name}.py"), {"snakemake": names})


def raw_to_parts(dataset: str, settings: dict) -> None:
    """The rules download, grid and split of one dataset, in the working directory."""
    from tvgp.study import datasets

    out = f"resources/{dataset}"
    names = SimpleNamespace(dataset=dataset)
    script(
        "download",
        f"logs/download/{dataset}.log",
        wildcards=names,
        output=Files(f"{out}/raw.json"),
        params=SimpleNamespace(settings=settings),
    )
    script(
        "grid",
        f"logs/grid/{dataset}.log",
        wildcards=names,
        input=Files(f"{out}/raw.json"),
        output=Files(field=f"{out}/field.nc", quality=f"{out}/quality.csv"),
        params=SimpleNamespace(settings=datasets.grid_settings(settings)),
    )
    script(
        "split",
        f"logs/split/{dataset}.log",
        wildcards=names,
        input=Files(f"{out}/field.nc"),
        output=Files(train=f"{out}/train.nc", test=f"{out}/test.nc"),
        params=SimpleNamespace(settings=datasets.split_settings(settings)),
    )


def clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _waited(pid: int) -> float:
    """Seconds in which a process could run, but others had the processors."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _tree(folder: Path) -> dict[str, tuple]:
    """Everything below a folder but for its project: name -> kind, size, time of change."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name.startswith(("project", "temporary", "home")):
            continue
        state = path.lstat()
        found[name] = (state.st_mode, path.is_dir() or (state.st_size, state.st_mtime_ns))
    return found
