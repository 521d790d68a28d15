"""A running study of this checkout: started, watched, killed, resumed, compared."""

import hashlib
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path

from tvgp.study.execution import processor

ROOT = Path(__file__).resolve().parents[2]
SMOKE = ROOT / "config" / "smoke.yaml"
TINY = (SMOKE, Path(__file__).with_name("study.yaml"))
UPDATE = (*TINY, Path(__file__).with_name("update.yaml"))
MIDDLE = ("results/*/runs", "results/*/tuned", "results/*/fits", "results/*/collected")
MIDDLE += ("results/*/analyses", "resources")
VOLATILE = ("timings", "logs", "tables/timing.csv")  # clocks; every other file is compared
TIMEOUT = 600  # seconds for one run: anything longer is a hang


def command(folder, *arguments, profile=None, configs=TINY, cores=1):
    """The study's own command line, in a working directory of its own."""
    how = ["--cores", str(cores)]
    if profile:
        how = ["--profile", str(ROOT / "profiles" / profile)]
        how += ["--jobs", "8", "--slurm-init-seconds-before-status-checks", "5"]
        how += ["--group-components", "fit=4"]
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "--workflow-profile",
        str(ROOT / "profiles" / "default"),
        *how,
        "--directory",
        str(folder),
        "--configfile",
        *map(str, configs),
        *arguments,
    ]


class Run:
    """A running study that counts its finished steps; `how` is that of `command`."""

    def __init__(self, folder, *arguments, **how):
        folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            command(folder, *arguments, **how),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            cwd=folder,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.lines, self.finished, self.submitted = [], 0, {}
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            self.finished += line.startswith("Finished jobid")
            if "has been submitted with SLURM jobid" in line:
                job, log = line.split("SLURM jobid")[1].split(maxsplit=1)
                self.submitted[job] = log

    def wait_for(self, steps, delay):
        """Until that many steps are done, and a moment longer; False when the run has ended."""
        start = time.monotonic()
        while self.finished < steps and self.process.poll() is None:
            if time.monotonic() - start > TIMEOUT:
                break
            time.sleep(0.01)
        time.sleep(delay)
        return self.process.poll() is None

    def end(self, timeout=TIMEOUT):
        """Exit code; -999 for a hang."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            kill([*descendants(self.process.pid), self.process.pid])
            code = -999
        self.reader.join(10)
        return code

    @property
    def output(self):
        return "".join(self.lines)


@cache
def pinned():
    """The variables by which a study confines its jobs, so that the next need not try the processor again."""
    environment = dict(os.environ)
    processor.pin(environment)
    return dict(environment.items() - os.environ.items())


def warm(root, config):
    """Load, parse and try in this process what Snakemake needs in each of its forks: the modules and plug-ins
    of both, the code behind recipes and the processor."""
    from snakemake import cli  # not above: of tests in two processes, a third imports all `conftest.py`

    from tvgp.study.config import validation
    from tvgp.study.config.recipes import Recipes

    for name in ("dag", "workflow", "scheduling.job_scheduler"):
        importlib.import_module(f"snakemake.{name}")
    importlib.import_module("smart_open")
    cli.get_argument_parser()
    validation.check(config, root / "workflow/schemas/config.schema.yaml")
    Recipes(config).report(str(root / "workflow/report/report.html.j2"))
    pinned()


def descendants(pid):
    """Every process below this one, children before grandchildren."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def kill(pids):
    """SIGKILL to each process that is still there."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def digests(folder):
    """sha256 of every result and every resource, but for the clocks."""
    found = {}
    for scale in sorted([*folder.glob("results/*"), *folder.glob("resources/*")]):
        for path in sorted(scale.rglob("*")):
            if path.is_file() and not path.relative_to(scale).as_posix().startswith(VOLATILE):
                content = path.read_bytes()
                found[path.relative_to(folder).as_posix()] = hashlib.sha256(content).hexdigest()
    return found


def middle_files(folder):
    """Every file between the raw data and the final products, as NetCDF or JSON."""
    folders = [each for pattern in MIDDLE for each in folder.glob(pattern)]
    return sorted(path for each in folders for path in each.rglob("*") if path.suffix in (".nc", ".json"))


def resume(folder, *arguments, **how):
    """The documented command: unlock, then the same command again."""
    unlock = Run(folder, "--unlock")
    if unlock.end() != 0:
        return unlock
    run = Run(folder, *arguments, **how)
    run.end()
    return run


def differences(folder, reference):
    """What is wrong with the final files: differing, missing, left over."""
    ours = digests(folder)
    return [name for name in sorted({*ours, *reference}) if ours.get(name) != reference.get(name)]


def node_of(jobs):
    """The node that one of these SLURM jobs runs on."""
    shown = subprocess.run(
        ["squeue", "--noheader", "--states=R", "--format=%N", "--jobs", ",".join(jobs)],
        capture_output=True,
        text=True,
    )
    return next(iter(shown.stdout.split()), None)
